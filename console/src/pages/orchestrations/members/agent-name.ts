import { isOrchestration } from '@gantry/project/orchestration-yaml.ts';
import { parseRef, parseVersionRef } from '@gantry/contract/refs.ts';

/** The name in `agents/clock`, `agents/clock@1.0.0` and `orchestrations/report`. */
export function agentNameOf(ref: string): string {
  return (parseVersionRef(ref) ?? parseRef(ref))?.name ?? ref;
}

/** The page of a member. */
export function memberLink(ref: string) {
  const params = { name: agentNameOf(ref) };
  return isOrchestration({ ref })
    ? ({ to: '/orchestrations/$name', params } as const)
    : ({ to: '/agents/$name', params } as const);
}
