// What decides about an agent's reach besides its config: its team, the destinations of its container, its memory config, and what its servers
// bring: calls in the name of its callers, and programs of others.
import { egressOf } from '@gantry/project/agent-yaml/egress.ts';
import { parseRef } from '@gantry/contract/refs.ts';
import type { AssetSubject } from '../../../governance/access/subject.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { settings } from '../../../people/principals/find.ts';
import type { StoredContent } from '../content-store.ts';
import { reachOfServers } from '../tool-lists/reach-of-servers.ts';
import { agentConfigOf } from '../versions/load-version-content.ts';
import { pinnedSkills } from '../skills/pinned-skills.ts';
import { pinnedMemory } from '../references/memory-of-agent.ts';
import type { Reaching } from './reach.ts';

/** Without a container, it has the destinations that the present setting gives it. */
export async function ofAgent(
  db: Reader,
  { ref, team }: Pick<AssetSubject, 'ref' | 'team'>,
  { config, pins, made }: Pick<StoredContent, 'config' | 'pins'> & { made?: readonly string[] | null | undefined },
): Promise<Pick<Reaching, 'agent'>> {
  if (parseRef(ref)?.kind !== 'agent') return {};
  const egress = made === undefined ? egressOf(await settings(db), agentConfigOf({ config })) : (made ?? undefined);
  return {
    agent: {
      team: team.name,
      egress,
      memory: await pinnedMemory(db, pins),
      skills: await pinnedSkills(db, pins),
      ...(await reachOfServers(db, pins)),
    },
  };
}
