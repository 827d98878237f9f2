import { globMatches } from '@gantry/contract/people/asset-globs.ts';
import type { SignedInCaller } from './caller.ts';

/** Always true for people. A service principal needs a matching glob; without globs it reaches nothing. */
export function isReached(caller: SignedInCaller, ref: string): boolean {
  return caller.kind === 'user' || caller.allowed_assets.some((pattern) => globMatches(pattern, ref));
}
