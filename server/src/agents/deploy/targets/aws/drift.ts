// What somebody changed in the account by hand: services, what their tasks are made of, and their secrets. Values of secrets are not compared.
import type { Service, TaskDefinition } from '@aws-sdk/client-ecs';
import { differingPaths, saidPaths } from '../differing-paths.ts';
import type { Recorded } from '../outside.ts';
import type { PlatformDrift } from '../replicas/platform.ts';
import { unlessNamed } from './clients.ts';
import type { Ecs } from './ecs-platform.ts';
import type { Made, RecordedService } from './made.ts';
import { findService, ownServices } from './observe.ts';
import { secretName } from './requests.ts';

type About = Pick<PlatformDrift, 'of' | 'revision_id'>;
type Found = Pick<PlatformDrift, 'what' | 'detail'>;

export async function accountDrift(
  ecs: Ecs,
  told: ReadonlyMap<string, number | undefined>,
  signal: AbortSignal,
): Promise<PlatformDrift[]> {
  const recorded = (await ecs.ledger.list()).filter(({ kind }) => kind === ('service' satisfies Made['kind']));
  const there = await ownServices(ecs, signal);
  const found: PlatformDrift[] = [];
  for (const one of recorded) {
    const { revision_id, name } = one;
    if (revision_id === null || !told.has(revision_id)) continue;
    const about = { of: name, revision_id };
    const live = there.find(({ serviceName }) => serviceName === name);
    const drifted = await driftOf(ecs, { recorded: one, live, replicas: told.get(revision_id) }, signal);
    found.push(
      ...drifted.map((is) => ({ ...about, kind: 'service', name, ...is })),
      ...(await secretDrift(ecs, about, signal)),
    );
  }
  const foreign = there.flatMap(({ serviceName = '' }) =>
    recorded.some(({ name }) => name === serviceName) ? [] : [serviceName],
  );
  return [...found, ...foreign.map(asForeign)];
}

const asForeign = (name: string): PlatformDrift => ({
  kind: 'service',
  name,
  of: name,
  revision_id: null,
  what: 'foreign',
  detail: 'it has the tag of this service, and is not on the record',
});

async function driftOf(
  ecs: Ecs,
  { recorded, live, replicas }: { recorded: Recorded; live: Service | undefined; replicas: number | undefined },
  signal: AbortSignal,
): Promise<Found[]> {
  if (live === undefined) return [await isUntagged(ecs, recorded.name, signal)];
  const { service, task_definition } = (recorded.described ?? {}) as Partial<RecordedService>; // as describe.ts has recorded it
  const paths = service === undefined ? [] : differingPaths(service, serviceFields(live), { ignores });
  if (task_definition !== undefined) {
    const { taskDefinition } = await ecs.clients.ecs.describeTaskDefinition(
      { taskDefinition: live.taskDefinition },
      { abortSignal: signal },
    );
    paths.push(...differingPaths(withoutTags(task_definition), definitionFields(taskDefinition ?? {}), { ignores }));
  }
  if (paths.length > 0) return [{ what: 'changed', detail: saidPaths(paths) }];
  if (replicas === undefined || live.desiredCount === replicas) return [];
  return [{ what: 'changed', detail: `it wants ${live.desiredCount ?? 0} tasks, and ${replicas} are asked for` }];
}

/** The list has those with our tag. */
async function isUntagged(ecs: Ecs, name: string, signal: AbortSignal): Promise<Found> {
  const isThere = await findService(ecs, name, signal).then(
    (found) => found !== undefined,
    (error: unknown) => {
      if (error instanceof Error && error.message.includes('does not belong to this installation')) return true;
      throw error;
    },
  );
  return isThere ? { what: 'changed', detail: saidPaths(['tags']) } : { what: 'missing', detail: 'it is gone' };
}

async function secretDrift(ecs: Ecs, { of, revision_id }: About, signal: AbortSignal): Promise<PlatformDrift[]> {
  const name = secretName(of, ecs);
  const asking = ecs.clients.secrets.describeSecret({ SecretId: name }, { abortSignal: signal });
  const found = await unlessNamed(['ResourceNotFoundException'], asking);
  const drifted = (detail: string): PlatformDrift[] => [
    { of, revision_id, kind: 'secret', name, what: 'missing', detail },
  ];
  if (found === undefined) return drifted('it is gone');
  return found.DeletedDate === undefined ? [] : drifted('it is marked for deletion');
}

/** ECS answers what was not asked for as nothing of its kind. */
const ignores = (value: unknown) =>
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

const serviceFields = ({ launchType, networkConfiguration, enableExecuteCommand }: Service) => ({
  launchType,
  networkConfiguration,
  enableExecuteCommand,
});

/** Without what ECS itself says of a registered one. */
function definitionFields(registered: TaskDefinition) {
  const {
    taskDefinitionArn: _arn,
    revision: _revision,
    status: _status,
    requiresAttributes: _attributes,
    compatibilities: _compatibilities,
    registeredAt: _at,
    registeredBy: _by,
    deregisteredAt: _until,
    ...fields
  } = registered;
  return fields;
}

function withoutTags({ tags: _, ...fields }: RecordedService['task_definition']) {
  return fields;
}
