import { Problem } from '@gantry/contract/problems.ts';
import { parseRef, type AssetRef } from '@gantry/contract/refs.ts';

/** Parses a reference from user input. Throws `bad_reference`. */
export function readRef(text: string): AssetRef {
  const ref = parseRef(text);
  if (ref === undefined)
    throw new Problem('bad_reference', { detail: `${JSON.stringify(text)} is not an asset reference.` });
  return ref;
}
