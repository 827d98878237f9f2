// The models of a key and the agents that it names, as the clients of OpenAI and of Anthropic read them.
import type { ListedModel } from '@gantry/contract/models/gateway.ts';
import type { KeyCaller } from '../../../governance/access/caller.ts';
import type { Database } from '../../../ground/database/database.ts';
import { listModels } from '../catalogue/list-models.ts';
import type { AgentModel, AgentModels } from './agent-models.ts';
import { agentsOfKey } from './agents-of-key.ts';

export async function listModelsAndAgents(
  { db, agents }: { db: Database; agents: AgentModels },
  key: KeyCaller,
): Promise<ListedModel[]> {
  const models = await listModels(db, key);
  const names = await agentsOfKey(db, key);
  const callable = names.length === 0 ? [] : await agents.callable(key, names);
  return [...models, ...callable.map(toListed)];
}

function toListed({ name, team, created_at }: AgentModel): ListedModel {
  const ref = `agents/${name}`;
  return {
    id: ref,
    object: 'model',
    created: Math.floor(Date.parse(created_at) / 1000),
    owned_by: team,
    type: 'model',
    display_name: name,
    created_at,
    ref,
    team,
    names: [ref],
  };
}
