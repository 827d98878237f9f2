import { Problem } from '@gantry/contract/problems.ts';
import { errorCode } from './database.ts';

/**
 * What refers to a row is decided before the transaction that writes it. Between the two somebody may remove that row, or begin to refer
 * to one that is being removed; the database then refuses. The refusal for that; undefined for any other error.
 */
export function overtaken(error: unknown): Problem | undefined {
  if (errorCode(error) !== foreign_key_violation) return undefined;
  return new Problem('conflict', {
    detail: 'What this refers to was removed at this moment, or what it removes came into use. Nothing was changed.',
    hint: 'Look at what is there now, then try again.',
  });
}

const foreign_key_violation = '23503';
