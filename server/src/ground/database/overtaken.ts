import { Problem } from '@gantry/contract/problems.ts';
import { errorCode } from './database.ts';

/**
 * A reference to a row is decided before the transaction that writes it. Meanwhile another transaction may remove that row, or refer to a
 * row that is being removed. The database then refuses. Returns the refusal for that; undefined for any other error.
 */
export function overtaken(error: unknown): Problem | undefined {
  if (errorCode(error) !== foreign_key_violation) return undefined;
  return new Problem('conflict', {
    detail: 'A referenced object has just been removed, or the removed object is now in use. Nothing was changed.',
    hint: 'Check the current state, then try again.',
  });
}

const foreign_key_violation = '23503';
