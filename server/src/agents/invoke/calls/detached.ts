// A call whose caller does not wait for its answer, at once or after the sync budget.
import { jsonReply, type Reply } from '../../../governance/http/answer/reply.ts';
import type { RequestHeaders } from '../../../governance/http/request/request-headers.ts';

export function isDetached(headers: RequestHeaders): boolean {
  return /(^|[\s,])respond-async\b/i.test(headers.get('prefer') ?? '');
}

/** 202 with the address of the answer. `waiting`: a person must act first. */
export function runningReply(
  headers: RequestHeaders,
  { run_id, status = 'running', location }: { run_id: string; status?: 'running' | 'waiting'; location: string },
): Reply {
  const applied = isDetached(headers) && { 'preference-applied': 'respond-async' };
  return jsonReply({ run_id, status }, 202, { location, 'x-run-id': run_id, ...applied });
}
