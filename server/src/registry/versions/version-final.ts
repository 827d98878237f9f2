import { Problem } from '@gantry/contract/problems.ts';
import { printVersionRef, type VersionRef } from '@gantry/contract/refs.ts';

/** What stands under a version that was approved or deployed stays what it is. */
export function versionFinal(ref: VersionRef): Problem {
  return new Problem('version_final', {
    detail: `${printVersionRef(ref)} is final, and what you push under it is something else.`,
  });
}
