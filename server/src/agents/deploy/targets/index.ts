// The only map of targets, from their names. `local` is the engine of the service; the others are rows, which admins add while the service runs.
import { Problem } from '@gantry/contract/problems.ts';
import type { TargetFinding, TargetKind } from '@gantry/contract/assets/targets.ts';
import type { NamedTarget } from '../../../assets/targets/find-targets.ts';
import { tried } from './tried.ts';
import { reachContainer } from './docker/docker-target.ts';
import { openLedger } from './ledger.ts';
import type { OwnReplicaParts, ReplicaParts } from './replicas/target.ts';
import type { Target, TargetFile } from './target.ts';

export { awsKind, type AwsEmulator } from './aws/aws.ts';
export { azureKind, type AzureEmulator } from './azure/azure.ts';
export { engineKind } from './docker/engine.ts';
export { gcpKind, type GoogleEmulator } from './gcp/gcp.ts';
export { kubernetesKind } from './kubernetes/kubernetes.ts';
export { localTarget } from './docker/local.ts';

export interface Targets {
  /** Throws `engine_unavailable` for a name without a target, because another service may have run it. */
  find(name: string): Promise<Target>;
  /** Those of the service itself, which are no rows. */
  own: readonly string[];
  /** Its own are first. */
  names(): Promise<string[]>;
  /** The least that the service needs there. Throws `no_policy`. */
  policy(name: string): Promise<TargetFile[]>;
  /** Tries the parts of a target. One that fails is a finding. */
  test(name: string, signal: AbortSignal): Promise<TargetFinding[]>;
}

/** What a kind of row can do. */
export interface KindOfTarget {
  /** Without I/O. */
  open: (named: NamedTarget) => Target;
  test: (named: NamedTarget, signal: AbortSignal) => Promise<TargetFinding[]>;
  /** The least that the service needs there, as files that the owner of the place applies. Without I/O. Undefined: a kind without permissions. */
  policy?: (named: NamedTarget) => TargetFile[];
}
export type Kinds = Readonly<Record<TargetKind, KindOfTarget>>;

export interface Rows {
  find(name: string): Promise<NamedTarget | undefined>;
  names(): Promise<string[]>;
}

/** A target opens its connections at its first use, so the service starts even without its engine. */
export function openTargets({
  fixed,
  kinds,
  rows,
}: {
  fixed: Readonly<Record<string, Target>>;
  kinds: Kinds;
  rows: Rows;
}): Targets {
  // By name. A change of the row has another digest, and opens it again.
  const opened = new Map<string, { digest: string; target: Target }>();
  return {
    own: Object.keys(fixed),
    find: async (name) => {
      const own = Object.hasOwn(fixed, name) ? fixed[name] : undefined;
      if (own !== undefined) return own;
      const row = await rows.find(name);
      if (row === undefined) throw unknown(name);
      const before = opened.get(name);
      if (before?.digest === row.digest) return before.target;
      const target = kinds[row.config.kind].open(row);
      opened.set(name, { digest: row.digest, target });
      return target;
    },
    policy: async (name) => {
      const row = await rows.find(name);
      if (row === undefined && !Object.hasOwn(fixed, name)) throw unknown(name);
      const files = row && kinds[row.config.kind].policy?.(row);
      if (files === undefined)
        throw new Problem('no_policy', {
          detail: `${name} is a container engine, and an engine knows no permissions: whoever reaches it may do all there.`,
          hint: `Try its address and its credential: svc target test ${name}`,
        });
      return files;
    },
    test: async (name, signal) => {
      const row = await rows.find(name);
      if (row !== undefined) return await kinds[row.config.kind].test(row, signal);
      const own = Object.hasOwn(fixed, name) ? fixed[name] : undefined;
      if (own === undefined) throw unknown(name);
      return [await tried('engine', async () => roomIn(await own.room(signal)))];
    },
    names: async () => {
      return [...Object.keys(fixed), ...(await rows.names()).filter((name) => !Object.hasOwn(fixed, name))];
    },
  };
}

/** A target that a test adds. One of a platform's replicas needs the records and the connections of the service. */
export type MoreTarget = Target | ((parts: OwnReplicaParts) => Target);

export function openMore(more: Readonly<Record<string, MoreTarget>>, parts: ReplicaParts): Record<string, Target> {
  return Object.fromEntries(
    Object.entries(more).map(([name, one]) => [
      name,
      typeof one === 'function' ? one({ ...parts, ledger: openLedger(parts.db, name) }) : one,
    ]),
  );
}

/** The ways to instances, for a process that calls them and opens no engine. */
export type FindReach = (name: string) => Promise<Target['reach']>;

/** `local` and each row so far have containers with addresses of their own, and a replica its connections. */
export function findReach(further: Readonly<Record<string, MoreTarget>> = {}): FindReach {
  return async (name) => {
    const own = Object.hasOwn(further, name) ? further[name] : undefined;
    return own === undefined || typeof own === 'function'
      ? reachContainer
      : async (place, url) => await own.reach(place, url);
  };
}

const roomIn = ({ memory_bytes, used_bytes }: Awaited<ReturnType<Target['room']>>) =>
  `it answers; agents have ${inGigabytes(used_bytes)} of its ${inGigabytes(memory_bytes)} of memory`;
const inGigabytes = (bytes: number) => `${(bytes / 1024 ** 3).toFixed(1)} GB`;

const unknown = (name: string) => new Problem('engine_unavailable', { detail: `This service has no target ${name}.` });
