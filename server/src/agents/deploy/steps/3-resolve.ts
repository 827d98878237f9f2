// Step 3: checks that the references still are what the version pinned, and that all its secrets are set.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { findAssetById } from '../../../assets/registry/find.ts';
import { checkReferences } from '../../../assets/registry/references/pin-references.ts';
import { requireSecrets } from '../../../assets/secrets/delivery.ts';
import { refusingSubagents } from '../serving/subagents.ts';
import type { DeployRun } from '../deploy-run.ts';
import type { DeployParts } from '../parts.ts';

export async function resolve(db: DeployParts['db'], { input, notice }: DeployRun, config: AgentConfig) {
  // Who approved a version approved its references as they were. A rollback is for today, and names the changed ones.
  const when = input.rollback === undefined ? {} : { onChanged: (sentence: string) => notice(sentence) };
  const pins = await checkReferences(db, input, when);
  const agent = await findAssetById(db, input.agent_id, null);
  for (const sentence of agent === undefined ? [] : await refusingSubagents(db, agent, pins)) notice(sentence);
  const secrets = await requireSecrets(db, { agent_id: input.agent_id, config });
  return { pins, secrets: secrets.map(({ name }) => name) };
}
