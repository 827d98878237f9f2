// The sealed input in the row of a stored call, for a second sending after a crash. The input is erased once the call has begun or ended.
import type { Envelope } from '../../../ground/envelope/envelope.ts';
import type { RequestHeaders } from '../../../governance/http/request/request-headers.ts';
import type { TraceContext } from '../../../ground/trace-context.ts';
import { passedHeaders } from '../upstream.ts';

export interface CallInput {
  headers?: RequestHeaders | undefined;
  /** As the caller has sent it, before its guardrails. */
  body: Uint8Array;
  trace: TraceContext;
  /** How langgraph runs it, as JSON. */
  graph?: string | undefined;
}

const table = 'invocation';

export function sealInput({ seal }: Envelope, id: string, { headers, body, trace, graph }: CallInput): Buffer {
  const kept = { headers: passedHeaders(headers), trace, graph, body: Buffer.from(body).toString('base64') };
  return seal(JSON.stringify(kept), { table, id });
}

export function openInput({ open }: Envelope, id: string, sealed: Buffer): CallInput {
  // sealInput has written it, and no changed byte opens.
  const { headers, trace, graph, body } = JSON.parse(open(sealed, { table, id })) as {
    headers: Record<string, string>;
    trace: TraceContext;
    graph?: string;
    body: string;
  };
  return { headers: new Headers(headers), trace, graph, body: Buffer.from(body, 'base64') };
}
