// Who calls a model by one of its names: deployed agents (`model` and judges of guardrails), fallbacks of models, and guardrails that the
// organisation requires. A name leads to the same model as in a call, so an agent whose name leads to another model is no user. An agent that names
// no model is no user either.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { guardrailsOf } from '@gantry/contract/guardrails.ts';
import type { Reader } from '../../ground/database/database.ts';
import { entriesNamed, meaningsFor } from '../../models/gateway/catalogue/model-meanings.ts';
import { settings } from '../../people/principals/find.ts';
import type { NamedUsers } from '../../assets/registry/references/in-use.ts';
import * as store from './store.ts';

export async function findModelUsers(db: Reader, model: { id: string; name: string }): Promise<NamedUsers> {
  const [agents, meansIt, fallbacks, { required_guardrails }] = await Promise.all([
    store.deployedConfigs(db),
    meaningsFor(db, model.id),
    entriesNamed(db, model.name),
    settings(db),
  ]);
  const calling: string[] = [];
  for (const { agent_id, team_id, config } of agents)
    for (const name of modelNames(config)) if (await meansIt(name, team_id)) calling.push(agent_id);
  return {
    asset_ids: [...new Set([...calling, ...fallbacks])],
    is_required: judges(required_guardrails).some((name) => [model.name, `models/${model.name}`].includes(name)),
  };
}

/** Each name under which the agent calls a model. */
export function modelNames({ model, guardrails }: AgentConfig): string[] {
  const named = [model?.primary, model?.fallback].filter((name) => name !== undefined);
  return [...new Set([...named, ...judges(guardrailsOf(guardrails))])];
}

function judges(guardrails: readonly { options?: object | undefined }[]): string[] {
  return guardrails.flatMap(({ options }) =>
    options !== undefined && 'model' in options && typeof options.model === 'string' ? [options.model] : [],
  );
}
