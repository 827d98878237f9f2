import { connectionFault } from '../../../ground/outbound/connection-fault.ts';
import type { Model, Upstream } from '../model.ts';

/** The answer did not begin in time. */
export class LateAnswer extends Error {}

/** The answer did not end in time. */
export class LongAnswer extends Error {}

/** What is wrong with the connection, as the end of a sentence about it. */
export function connectionProblem(cause: unknown, { timeouts }: Model, { base_url }: Upstream): string {
  if (cause instanceof LateAnswer) return `no byte of the answer came within ${timeouts.first_byte_ms / 1000} s`;
  if (cause instanceof LongAnswer) return `the answer was not complete within ${timeouts.total_ms / 1000} s`;
  if (cause instanceof Error && 'code' in cause && cause.code === 'UND_ERR_BODY_TIMEOUT')
    return `its answer paused for ${timeouts.idle_ms / 1000} s`;
  return connectionFault(cause, base_url);
}

/** The same after the first byte. */
export function brokenBy(cause: unknown, model: Model, upstream: Upstream): string {
  if (cause instanceof RangeError) return cause.message;
  const problem = connectionProblem(cause, model, upstream);
  return problem.startsWith('the connection') ? 'its answer broke off' : problem;
}
