// What the service may do in the account, tried with a service of no task. It is made as that of a revision and removed at once; after a crash in
// between, the sweep of the keeper finds it as any other. The log group and the repository stay as they are: a missing one is not made.
import { randomUUID } from 'node:crypto';
import { Problem } from '@gantry/contract/problems.ts';
import type { TargetFinding } from '@gantry/contract/assets/targets.ts';
import type { Described } from '../replicas/platform.ts';
import { testRegistry } from '../registry.ts';
import { tried } from '../tried.ts';
import { policy_hint } from './answers.ts';
import { unlessNamed } from './clients.ts';
import { pushCredential, type Ecs, type EcsParts } from './ecs-platform.ts';
import { makeLogGroup, makeRepository, makeSecret, makeService, makeTaskDefinition } from './made.ts';
import { planOf } from './plan.ts';
import { removeRevision } from './remove.ts';
import { container_name, digestOf, logGroup, repository, secretName, service, taskDefinition } from './requests.ts';
import { scaleRevision } from './scale.ts';
import { scalableTarget, scaledBy, scalingPolicy } from './scaler.ts';
import { earlierValues } from './secret-values.ts';

const removal_ms = 60_000;

export async function testAws(
  { open, ...parts }: EcsParts,
  target: string,
  signal: AbortSignal,
): Promise<TargetFinding[]> {
  const ecs = { ...parts, clients: await open() };
  const look = async (part: string, work: () => Promise<string>) =>
    await tried(part, async () => await hinted(work, target));
  const { cluster, region } = parts.settings;
  const first = await look('cluster', async () => {
    await ecs.clients.ecs.listServices({ cluster, maxResults: 1 }, { abortSignal: signal });
    return `${cluster} in ${region} answers`;
  });
  // Without a key or an answer, nothing else can be said.
  if (!first.works && !first.message.includes(policyOf(target))) return [first];
  const probe = probeOf(parts);
  const found = [first, await look('image', async () => await tryImage(ecs, signal))];
  try {
    found.push(...(await tryService(ecs, { probe, look }, signal)));
  } finally {
    const removing = AbortSignal.timeout(removal_ms);
    found.push(
      await look('removal', async () => {
        await removeRevision(ecs, probe.name, removing);
        return 'removes what it makes';
      }),
    );
  }
  found.push(await look('scaler', async () => await tryScaler(ecs, probe, signal)));
  found.push(await look('log', async () => await tryLog(ecs, probe, signal)));
  const message =
    'cannot be limited here: agents reach what their subnets and security groups let them, so agents with limits are refused';
  return [...found, { part: 'outgoing connections', works: true, message }];
}

/** Named like that of a revision, so that all that looks for those finds it. */
function probeOf({ settings }: Pick<EcsParts, 'settings'>): Described {
  const revision_id = randomUUID();
  return {
    name: `svc-test-${revision_id.slice(0, 8)}`,
    revision_id,
    agent: 'test',
    fence: 1,
    // No task runs it.
    image: `${new URL(settings.repository).host}/test@sha256:${'0'.repeat(64)}`,
    variables: {},
    resources: { cpu_count: 0.25, memory_bytes: 512 * 1024 ** 2 },
  };
}

const policyOf = (target: string) => `svc target policy ${target}`;

/** A lack of a permission is shown with the command that prints all of them. */
async function hinted(work: () => Promise<string>, target: string): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || error.hint !== policy_hint) throw error;
    throw new Problem(error.code, { detail: `${error.detail} The least that it needs: ${policyOf(target)}` });
  }
}

async function tryImage(ecs: Ecs, signal: AbortSignal): Promise<string> {
  const registry = ecs.registry(await pushCredential(ecs, signal));
  const { works, message } = await testRegistry(registry, signal);
  if (!works && is_missing.test(message))
    return `the repository ${registry.repository} is missing, and the first deploy makes it`;
  if (!works) throw new Problem('engine_unavailable', { detail: message });
  // A deploy asks for it each time.
  await makeRepository({ ...ecs, signal }, repository(ecs));
  return `the repository ${registry.repository} takes images from the service`;
}

const is_missing = /answered 404 to an upload/;

type Look = (part: string, work: () => Promise<string>) => Promise<TargetFinding>;

async function tryService(
  ecs: Ecs,
  { probe, look }: { probe: Described; look: Look },
  signal: AbortSignal,
): Promise<TargetFinding[]> {
  const making = { ...ecs, of: probe, signal };
  const plan = planOf(probe, ecs);
  const { name } = probe;
  const made: { secret_arn?: string; task_definition?: string } = {};
  const secret = await look('secret', async () => {
    made.secret_arn = await makeSecret(making, plan.secret);
    await earlierValues(ecs, { name, names: [] }, signal);
    return 'keeps the secrets of agents';
  });
  const role = await look('role', async () => {
    const [, partition, , , account] = ecs.settings.execution_role_arn.split(':');
    const prefix = `arn:${partition}:secretsmanager:${ecs.settings.region}:${account}:secret`;
    const { secret_arn = `${prefix}:${secretName(name, ecs)}-000000` } = made;
    made.task_definition = await makeTaskDefinition(making, taskDefinition(probe, ecs, { secret_arn }));
    return `${ecs.settings.execution_role_arn} is passed to tasks`;
  });
  const runs = await look('service', async () => {
    const { task_definition } = made;
    if (task_definition === undefined)
      throw new Problem('engine_unavailable', { detail: 'It was not tried, because no task can be described.' });
    await makeService(making, service(probe, ecs, { task_definition, digest: digestOf(plan.task_definition) }));
    await scaleRevision(ecs, { name, replicas: 0, ...(secret.works && { files: {} }) }, signal);
    return 'makes and changes a service of the cluster';
  });
  return [secret, role, runs];
}

/** Of a service that is not there. AWS looks for the permission first, and then for the service. */
async function tryScaler(
  { clients: { scaling }, settings }: Ecs,
  { name }: Described,
  signal: AbortSignal,
): Promise<string> {
  const none = `${name}-none`;
  const at = scaledBy(none, settings);
  const rule = { min: 1, max: 1, target_cpu: 100 };
  const ending = { abortSignal: signal };
  await allowed(scaling.registerScalableTarget(scalableTarget(none, settings, rule), ending));
  await allowed(scaling.putScalingPolicy(scalingPolicy(none, settings, rule), ending));
  await allowed(scaling.deleteScalingPolicy({ ...at, PolicyName: none }, ending));
  await allowed(scaling.deregisterScalableTarget(at, ending));
  return 'may scale the services of the cluster';
}

/** AWS may say that the thing is not there. */
async function allowed(work: Promise<unknown>): Promise<void> {
  try {
    await unlessNamed(['ObjectNotFoundException'], work);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'start_failed') throw error;
  }
}

async function tryLog(ecs: Ecs, { name }: Described, signal: AbortSignal): Promise<string> {
  const { clients, settings } = ecs;
  const logGroupName = settings.log_group;
  const stream = `${name}/${container_name}/`;
  const listing = clients.logs.describeLogStreams(
    { logGroupName, logStreamNamePrefix: stream },
    { abortSignal: signal },
  );
  const streams = await unlessNamed(['ResourceNotFoundException'], listing);
  const reading = clients.logs.getLogEvents({ logGroupName, logStreamName: `${stream}none` }, { abortSignal: signal });
  await unlessNamed(['ResourceNotFoundException'], reading);
  if (streams === undefined) return `the log group ${logGroupName} is missing, and the first deploy makes it`;
  await makeLogGroup({ ...ecs, signal }, logGroup(ecs));
  return `the log group ${logGroupName} gives the lines of agents`;
}
