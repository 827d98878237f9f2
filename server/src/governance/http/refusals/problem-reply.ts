import { Disconnected, disk_full, errorCode } from '../../../ground/database/database.ts';
import { overtaken } from '../../../ground/database/overtaken.ts';
import { Problem, problemDocument } from '@gantry/contract/problems.ts';
import type { Reply } from '../answer/reply.ts';

/**
 * An expected refusal keeps its text; anything else is a bug, and its answer reveals nothing. A part that cannot be closed after a failure never
 * hides the failure, which `SuppressedError` has as `suppressed`.
 */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof SuppressedError) return asProblem(error.suppressed);
  if (isNoRoom(error)) return new Problem('storage_full', { detail: 'The request failed: the disk is full.' });
  // Class 57P: the database is shutting down, starting up, or ended the connection. Class 53: it is out of memory or of connections.
  // Class 08: a pooler has no connection to give.
  if (error instanceof Disconnected || /^(57P|53|08)/.test(errorCode(error) ?? ''))
    return new Problem('starting', { detail: 'The database is not available right now.' });
  return overtaken(error) ?? new Problem('internal');
}

export function problemReply(problem: Problem, request_id: string): Reply {
  const { allowed_methods } = problem.fields;
  return {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json',
      ...(problem.status === 401 && { 'www-authenticate': 'Bearer realm="gantry"' }),
      ...(Array.isArray(allowed_methods) && { allow: allowed_methods.join(', ') }),
      ...(problem.retry_after_seconds !== undefined && { 'retry-after': String(problem.retry_after_seconds) }),
    },
    body: JSON.stringify(problemDocument(problem, request_id)),
  };
}

// The disk of the database, or of this machine.
function isNoRoom(error: unknown): boolean {
  return errorCode(error) === disk_full || (error instanceof Error && 'code' in error && error.code === 'ENOSPC');
}
