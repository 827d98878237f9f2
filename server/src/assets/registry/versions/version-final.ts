import { Problem } from '@gantry/contract/problems.ts';
import { printVersionRef, type VersionRef } from '@gantry/contract/refs.ts';

/** The content of an approved or deployed version never changes. */
export function versionFinal(ref: VersionRef, more: { hint?: string } = {}): Problem {
  return new Problem('version_final', {
    detail: `${printVersionRef(ref)} is final, and this push has other content.`,
    ...more,
  });
}
