// A call of a vendor's API as plain JSON. Its answer is bounded, and may have any form.
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@gantry/contract/problems.ts';
import { jsonIn } from '../../../ground/json-in.ts';
import type { Outbound } from '../../../ground/outbound/outbound.ts';
import { readAtMost } from '../../../ground/read-at-most.ts';

export interface VendorCall {
  /** For people: `run.projects.locations.workerPools.get of Google`. */
  what: string;
  /** Throws for a name that would be another path. */
  address: () => string;
  verb: string;
  token: (signal?: AbortSignal) => Promise<string>;
  body?: object | undefined;
}

export interface VendorAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Undefined for an answer that is no JSON. */
  body: unknown;
}

const answer_ms = 30_000;
const most_bytes = 16 * 1024 ** 2;
/** Too many calls, or a moment without the service. */
const passing = [429, 503];
const pauses_ms = [1000, 3000];

/** Repeats a call that the vendor has no time for. Throws `engine_unavailable` without an answer. */
export async function callVendor(
  outbound: Pick<Outbound, 'request'>,
  call: VendorCall & { onSend?: () => void },
  signal?: AbortSignal,
): Promise<VendorAnswer> {
  for (let tries = 0; ; tries++) {
    call.onSend?.();
    const answer = await send(outbound, call, signal);
    const pause = pauses_ms[tries];
    if (!passing.includes(answer.status) || pause === undefined) return answer;
    await sleep(pause, undefined, { ...(signal && { signal }) });
  }
}

async function send(
  outbound: Pick<Outbound, 'request'>,
  { what, address, verb, token, body }: VendorCall,
  signal?: AbortSignal,
): Promise<VendorAnswer> {
  const limit = AbortSignal.timeout(answer_ms);
  const authorization = `Bearer ${await token(signal)}`;
  try {
    const answer = await outbound.request(address(), {
      method: verb,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    });
    const text = (await readAtMost(answer.body, most_bytes, () => new Error('too long'))).toString();
    return { status: answer.statusCode, headers: answer.headers, body: jsonIn(text) };
  } catch (error) {
    signal?.throwIfAborted();
    throw unanswered(what, error);
  }
}

export function unanswered(what: string, error: unknown): Error {
  if (error instanceof Problem) return error;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const reason = code ?? (error instanceof Error ? error.message : 'no answer');
  return new Problem('engine_unavailable', { detail: `${what} has no answer (${reason.slice(0, 200)}).` });
}
