// The input that an orchestration takes: that of the members that get the caller's input, where they agree.
import type { AgentInput } from '@gantry/contract/invoke.ts';
import { leadOf, type OrchestrationConfig, type OrchestrationMember } from '@gantry/contract/orchestration-yaml.ts';
import type { Caller } from '../access/caller.ts';
import type { Reader } from '../database/database.ts';
import { servingInputs } from '../deploy/serving-inputs.ts';
import { signedIn } from '../principals/signed-in.ts';
import { loadAsset } from '../registry/load-asset.ts';
import { agentRef } from './agent-ref.ts';
import { requireCallable } from './begin.ts';
import { loadOrchestration, type Orchestration } from './load-orchestration.ts';

export async function input(db: Reader, { caller, name }: { caller: Caller; name: string }): Promise<AgentInput> {
  const user = signedIn(caller);
  const asset = await loadAsset(db, { kind: 'orchestration', name }, user);
  return { input_schema: await inputSchema(db, await loadOrchestration(db, requireCallable(user, asset))) };
}

/** Null where the members take different inputs, and where a text is enough. */
async function inputSchema(db: Reader, { config, asset_ids }: Orchestration): Promise<Record<string, unknown> | null> {
  const ids = firstMembers(config).flatMap((member) => asset_ids.get(agentRef(member)) ?? []);
  const serving = await servingInputs(db, ids);
  const schemas = new Map(serving.map(({ input: takes }) => [JSON.stringify(takes?.schema ?? null), takes?.schema]));
  const [only = null] = schemas.values();
  return schemas.size === 1 ? only : null;
}

/** A supervisor gets the caller's input within its task. */
function firstMembers(config: OrchestrationConfig): OrchestrationMember[] {
  const { strategy, agents, supervisor_config } = config;
  if (strategy === 'supervisor') return [];
  if (strategy === 'sequential') return agents.slice(0, 1);
  if (strategy !== 'router') return agents.filter(({ name }) => name !== leadOf(config)?.name);
  const targets = new Set(agents.flatMap(({ routes = [] }) => routes.map(({ target }) => target)));
  return agents.filter(({ name }) => targets.has(name) || name === supervisor_config?.classifier);
}
