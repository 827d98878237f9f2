// Agents on ECS Fargate. A revision is a service of ECS, which keeps its replicas. They have no address and dial in. All names follow from the
// revision's, so that a killed run finds what it made. Run against an emulator, never against an account (docs/decisions/0173).
import { Problem } from '@gantry/contract/problems.ts';
import { LRUCache } from 'lru-cache';
import type { Engine } from '../../../../assets/docker/client.ts';
import { pushImage } from '../../../../assets/images/push-image.ts';
import type { Registry } from '../../../../assets/images/registry-client.ts';
import { firstUse } from '../../../../ground/first-use.ts';
import type { Platform, ReplicaSet } from '../replicas/platform.ts';
import { valuesOf } from '../mask.ts';
import { notLimited } from '../not-limited.ts';
import type { Ledger } from '../outside.ts';
import type { AwsClients } from './clients.ts';
import { describeRevision } from './describe.ts';
import { accountDrift } from './drift.ts';
import { imageName } from './settings.ts';
import { makeRepository } from './made.ts';
import { findService, ownServices, replicaSet } from './observe.ts';
import { removeRevision } from './remove.ts';
import { targetPlan } from './plan.ts';
import { container_name, repository, type Planning } from './requests.ts';
import { scaleRevision } from './scale.ts';
import { earlierValues } from './secret-values.ts';
import { taskLogs } from './task-logs.ts';
import { isTaskId, ownTask } from './tasks.ts';

export interface EcsParts extends Planning {
  open: () => Promise<AwsClients>;
  /** Stores what is about to be made. */
  ledger: Ledger;
  /** The repository, with this password. */
  registry: (credential: { username: string; password: string }) => Registry;
  /** It has the built images. */
  builds: Engine;
}

/** What each step of the platform works with. */
export interface Ecs extends Planning {
  clients: AwsClients;
  ledger: Ledger;
  registry: EcsParts['registry'];
}

export function ecsPlatform({ open, builds, ...parts }: EcsParts): Platform {
  const { settings } = parts;
  const opened = firstUse(async () => ({ ...parts, clients: await open() }) satisfies Ecs);
  // A deploy and the keeper ask many times a second, and an account has 20 such calls a second for all.
  const seen = new LRUCache<string, Promise<ReplicaSet | undefined>>({ max: 1000, ttl: 1000 });
  const observe = async (name: string) => {
    const ecs = await opened();
    const service = await findService(ecs, name);
    return service && (await replicaSet(ecs, service));
  };
  return {
    limits_egress: false,
    scalesItself: ({ has_scaler }) => has_scaler === true,

    plan: (planned) => targetPlan(planned, parts),

    async deliver(image, signal) {
      const ecs = await opened();
      await makeRepository({ ...ecs, signal }, repository(parts));
      const registry = parts.registry(await pushCredential(ecs, signal));
      const { digest, platform } = await pushImage(registry, { engine: builds, id: image }, signal);
      if (platform !== 'linux/amd64')
        throw new Problem('start_failed', {
          detail: `The image is for ${platform}, and this target runs linux/amd64.`,
        });
      return imageName(settings, digest);
    },

    async describe(described, signal) {
      if (described.egress !== undefined) throw notLimited();
      const { notes, ...requests } = await describeRevision(await opened(), described, signal);
      seen.delete(described.name);
      const content = `${JSON.stringify({ ...requests, ...(notes.length > 0 && { notes }) }, null, 2)}\n`;
      const place = described.scaler === undefined ? {} : { has_scaler: true };
      return { place, artefacts: [{ file: 'ecs.json', content }] };
    },

    async scale(name, to, signal) {
      await scaleRevision(await opened(), { name, ...to }, signal);
      seen.delete(name);
    },

    async observe(name) {
      const before = seen.get(name);
      if (before !== undefined) return await before;
      const now = observe(name);
      seen.set(name, now);
      // Its caller has the failure.
      now.catch(() => seen.delete(name));
      return await now;
    },

    async remove(name, signal) {
      await removeRevision(await opened(), name, signal);
      seen.delete(name);
    },

    logs: async function* logs(name, replica, query) {
      const ecs = await opened();
      if (!isTaskId(replica)) return;
      const log = {
        logs: ecs.clients.logs,
        group: settings.log_group,
        // Its prefix has the name of the description, so no other one's replica is found.
        stream: `${name}/${container_name}/${replica}`,
        hasEnded: async () => {
          const task = await ownTask(ecs, { name, task: replica }, query.signal);
          return task === undefined || task.lastStatus === 'STOPPED';
        },
      };
      const delivered = await earlierValues(ecs, { name, names: Object.keys(query.secrets) }, query.signal);
      yield* taskLogs(log, query, valuesOf(query.secrets, delivered));
    },

    drift: async (told, signal) => await accountDrift(await opened(), told, signal),

    outgoing: async () =>
      await Promise.resolve({
        service_url: settings.service_url.replace(/\/$/, ''),
        ...(settings.service_ca !== undefined && { ca: settings.service_ca }),
      }),

    // Quotas of an account limit processors, and its owner raises them. ECS refuses a task beyond them.
    room: async () => await Promise.resolve({ memory_bytes: Number.MAX_SAFE_INTEGER, used_bytes: 0 }),

    async list(signal) {
      const ecs = await opened();
      const services = await ownServices(ecs, signal);
      return await Promise.all(services.map(async (service) => await replicaSet(ecs, service, signal)));
    },
  };
}

/** For twelve hours. */
export async function pushCredential(
  { clients }: Ecs,
  signal: AbortSignal,
): Promise<{ username: string; password: string }> {
  const { authorizationData = [] } = await clients.ecr.getAuthorizationToken({}, { abortSignal: signal });
  const token = Buffer.from(authorizationData[0]?.authorizationToken ?? '', 'base64').toString();
  const colon = token.indexOf(':');
  if (colon < 1) throw new Error('ECR gave no password for its registry');
  return { username: token.slice(0, colon), password: token.slice(colon + 1) };
}
