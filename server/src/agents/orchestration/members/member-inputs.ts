// The inputs that orchestrations and their members take, as the serving versions have described them.
import {
  isOrchestration,
  leadOf,
  type OrchestrationConfig,
  type OrchestrationMember,
} from '@gantry/project/orchestration-yaml.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { servingInputs, type ServingInput } from '../../deploy/serving/serving-inputs.ts';
import type { Orchestration } from '../load-orchestration.ts';
import { memberRef } from './member-ref.ts';
import { agentsIn, reachedFrom, type Reached } from './nesting.ts';

type Schema = Record<string, unknown> | null;

export interface Inputs {
  /** The orchestrations inside. */
  reached: Reached;
  /** By the id of the agent, on all levels. */
  serving: ReadonlyMap<string, ServingInput>;
}

export async function inputsIn(db: Reader, orchestration: Orchestration): Promise<Inputs> {
  const reached = await reachedFrom(db, orchestration);
  const serving = await servingInputs(db, agentsIn([orchestration, ...reached.values()]));
  return { reached, serving: new Map(serving.map((one) => [one.agent_id, one])) };
}

/** Each member, with the schema of its input. */
export async function memberInputs(
  db: Reader,
  orchestration: Orchestration,
): Promise<Map<OrchestrationMember, Schema>> {
  const inputs = await inputsIn(db, orchestration);
  const known = new Map<Orchestration, Schema>();
  return new Map(
    orchestration.config.agents.map((member) => [member, takenBy({ inputs, orchestration, known }, member) ?? null]),
  );
}

/** Null where the members take different inputs, and where a text is enough. */
export function inputSchema(
  inputs: Inputs,
  orchestration: Orchestration,
  known = new Map<Orchestration, Schema>(),
): Schema {
  const before = known.get(orchestration);
  if (before !== undefined) return before;
  // Also the end of a circle.
  known.set(orchestration, null);
  const taken = firstMembers(orchestration.config).flatMap((member) => {
    const schema = takenBy({ inputs, orchestration, known }, member);
    return schema === undefined ? [] : [[JSON.stringify(schema), schema] as const];
  });
  const schemas = new Map(taken);
  const [only = null] = schemas.values();
  const agreed = schemas.size === 1 ? only : null;
  known.set(orchestration, agreed);
  return agreed;
}

/** One member at least continues conversations. One that has not said it may. */
export function keepsThreads({ serving }: Inputs): boolean {
  return [...serving.values()].some(({ input }) => input?.keeps_threads !== false);
}

interface Looking {
  inputs: Inputs;
  orchestration: Orchestration;
  known: Map<Orchestration, Schema>;
}

/** Undefined for one that does not serve. */
function takenBy({ inputs, orchestration, known }: Looking, member: OrchestrationMember): Schema | undefined {
  const id = orchestration.asset_ids.get(memberRef(member));
  if (id === undefined) return undefined;
  if (!isOrchestration(member)) {
    const serving = inputs.serving.get(id);
    return serving && (serving.input?.schema ?? null);
  }
  const inner = inputs.reached.get(id);
  return inner && inputSchema(inputs, inner, known);
}

/** Those that get the caller's input as it is. A supervisor gets it within its task. */
export function firstMembers(config: OrchestrationConfig): OrchestrationMember[] {
  const { strategy, agents, supervisor_config } = config;
  if (strategy === 'supervisor') return [];
  if (strategy === 'sequential') return agents.slice(0, 1);
  if (strategy !== 'router') return agents.filter(({ name }) => name !== leadOf(config)?.name);
  const targets = new Set(agents.flatMap(({ routes = [] }) => routes.map(({ target }) => target)));
  return agents.filter(({ name }) => targets.has(name) || name === supervisor_config?.classifier);
}
