import { Problem } from '@gantry/contract/problems.ts';

/** A restart of the service or a broken connection is temporary; a refusal is not. */
export function isPassing(error: unknown): boolean {
  if (error instanceof Problem) return error.code === 'starting' || error.code === 'internal';
  // fetch reports a connection that breaks during a body as a TypeError; a connection that was never made is Unreachable.
  return error instanceof Error && (error.name === 'Unreachable' || error instanceof TypeError);
}
