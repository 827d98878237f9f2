// The destinations that containers of an agent were refused lately, for its next version.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { isCovered } from '@gantry/project/agent-yaml/egress.ts';
import { egressLine } from '@gantry/project/agent-project/check-egress.ts';
import type { Reader } from '../../../ground/database/database.ts';
import * as store from '../store.ts';

/** A sentence with the line of agent.yaml, when the config does not list all of them. */
export async function refusedBefore(
  db: Reader,
  { agent_id, config }: { agent_id: string; config: AgentConfig },
): Promise<string[]> {
  const route = await store.defaultRoute(db, agent_id);
  if (route === undefined) return [];
  const listed = config.deploy?.egress ?? [];
  const refused = (await store.refusedEgress(db, [route.id])).map(({ destination }) => destination);
  const missing = refused.filter((destination) => !isListed(listed, destination));
  if (missing.length === 0) return [];
  return [
    `${route.version} was refused ${missing.join(', ')}, and this version does not list it either. If the agent needs it, in agent.yaml: deploy: {egress: ${egressLine([...listed, ...missing])}}`,
  ];
}

function isListed(listed: readonly string[], destination: string): boolean {
  const at = destination.lastIndexOf(':');
  return isCovered(listed, { host: destination.slice(0, at), port: Number(destination.slice(at + 1)) });
}
