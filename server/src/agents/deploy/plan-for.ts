// What a deploy of a version would send to its target now. The deploy asks for it too, so a plan, an approval and a deploy have one form.
import type { TargetPlan } from '@gantry/contract/agents/target-plan.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { scalingOf } from '@gantry/project/agent-yaml/scaling.ts';
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import type { PlanFor, PlanWish } from '../approvals/covers.ts';
import { memoryOfAgent } from '../../assets/registry/references/memory-of-agent.ts';
import type { Reader } from '../../ground/database/database.ts';
import { shared_dial_names } from './dial-in/join-token.ts';
import { instanceFiles } from './instance-environment.ts';
import { modelFiles } from './revision-key.ts';
import { doorAddresses } from './serving/door-addresses.ts';
import { isOutsideGateway, placeInput } from './start-container.ts';
import type { Targets } from './targets/index.ts';
import type { Planned, SecretFiles, Target } from './targets/target.ts';

export const planFor =
  (targets: Targets): PlanFor =>
  async (db, wish) => {
    const { target: name, config } = wish;
    // Each deploy refuses an unknown target by its name.
    if (!targets.own.includes(name) && !(await targets.names()).includes(name)) return undefined;
    const target = await targets.find(name);
    return target.plan === undefined ? undefined : made(target, await plannedOf(db, wish, target), config);
  };

function made(target: Target, planned: Planned, config: AgentConfig): TargetPlan | undefined {
  try {
    return target.plan?.(planned);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw targetRefuses([error.detail], config);
  }
}

function targetRefuses(broken: readonly string[], { deploy }: AgentConfig): Problem {
  const hint =
    deploy?.resources === undefined
      ? 'Change the config of the target, or deploy to another one.'
      : 'Change `deploy.resources` in agent.yaml or the config of the target, or deploy to another target.';
  return new Problem('target_refuses', { detail: broken.join(' '), hint });
}

/** Throws `target_refuses` for a deploy that would break a rule of its target. Returns the notes of its plan. */
export async function refuseBroken(targets: Targets, db: Reader, wish: PlanWish): Promise<string[]> {
  const { broken = [], notes = [] } = (await planFor(targets)(db, wish)) ?? {};
  if (broken.length > 0) throw targetRefuses(broken, wish.config);
  return notes;
}

// In the form of real ones, because a name has rules and a length.
const stand_in = { revision_id: '00000000-0000-4000-8000-000000000000', image: '<image>', fence: 0 } as const;

async function plannedOf(db: Reader, { config, digest }: PlanWish, { dials_in }: Target): Promise<Planned> {
  const { revision_id, image, fence } = stand_in;
  const { instance_id: _, ...input } = await placeInput(db, { id: '', n: 1, revision_id, image, config }, fence);
  const { min, max } = scalingOf(config);
  const secrets = config.deploy?.secrets ?? [];
  const unknown = { service_url: '', key: '' };
  const files = instanceFiles({
    config,
    ingress_secret: '',
    access: isOutsideGateway(config) ? {} : { ...modelFiles(unknown, config), ...doorAddresses('', config) },
    secrets: standIns(secrets),
    keeps_memory: true,
    memory: await memoryOfAgent(db, digest),
    proxy_url: undefined,
    hidden: {},
  });
  const dial = dials_in === 'as one of many' ? shared_dial_names : [];
  return { ...input, scaling: { min, max }, secrets, files: standIns([...Object.keys(files), ...dial]) };
}

const standIns = (names: readonly string[]): SecretFiles =>
  Object.fromEntries(names.toSorted().map((name) => [name, `<${name}>`]));
