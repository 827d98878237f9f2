import { parseRef, parseVersionRef } from '@gantry/contract/refs.ts';

/** Of `agents/clock` and `agents/clock@1.0.0`. */
export function agentNameOf(ref: string): string {
  return (parseVersionRef(ref) ?? parseRef(ref))?.name ?? ref;
}
