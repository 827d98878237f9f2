// What a stored call needs to be sent again after a crash, sealed for its row. It is erased once the call has begun or ended.
import type { Envelope } from '../envelope/envelope.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import type { TraceContext } from '../trace-context.ts';
import { passedHeaders } from './upstream.ts';

export interface CallInput {
  headers?: RequestHeaders | undefined;
  /** As the caller has sent it, before its guardrails. */
  body: Uint8Array;
  trace: TraceContext;
}

const table = 'invocation';

export function sealInput({ seal }: Envelope, id: string, { headers, body, trace }: CallInput): Buffer {
  const kept = { headers: passedHeaders(headers), trace, body: Buffer.from(body).toString('base64') };
  return seal(JSON.stringify(kept), { table, id });
}

export function openInput({ open }: Envelope, id: string, sealed: Buffer): CallInput {
  // sealInput has written it, and no changed byte opens.
  const { headers, trace, body } = JSON.parse(open(sealed, { table, id })) as {
    headers: Record<string, string>;
    trace: TraceContext;
    body: string;
  };
  return { headers: new Headers(headers), trace, body: Buffer.from(body, 'base64') };
}
