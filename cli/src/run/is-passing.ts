import { Problem } from '@gantry/contract/problems.ts';

/** A service that restarts or a connection that breaks passes; a refusal does not. */
export function isPassing(error: unknown): boolean {
  if (error instanceof Problem) return error.code === 'starting' || error.code === 'internal';
  // fetch reports a connection that breaks in the middle of a body as a TypeError; one that was never made is Unreachable.
  return error instanceof Error && (error.name === 'Unreachable' || error instanceof TypeError);
}
