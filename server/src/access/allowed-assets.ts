import { globMatches } from '@gantry/contract/asset-globs.ts';
import type { SignedInCaller } from './caller.ts';

/** Can the caller know of this at all? People can; for a service principal one of its globs must match, and none at all match nothing. */
export function isReached(caller: SignedInCaller, ref: string): boolean {
  return caller.kind === 'user' || caller.allowed_assets.some((pattern) => globMatches(pattern, ref));
}
