// What somebody changed by hand in the cluster. Each object is compared with what the cluster would make of the recorded one today, which a dry run
// says: its defaults, and the changes of its own admission. So fields that others may own, such as annotations, are no drift.
import type { KubernetesObject, V1Deployment } from '@kubernetes/client-node';
import { differingPaths, saidPaths } from '../differing-paths.ts';
import type { Ledger, Recorded } from '../outside.ts';
import type { PlatformDrift } from '../replicas/platform.ts';
import type { Cluster } from './client.ts';
import * as objects from './objects.ts';

interface Comparing {
  cluster: Cluster;
  home: objects.Home;
  ledger: Ledger;
  told: ReadonlyMap<string, number | undefined>;
  signal: AbortSignal;
}

const deployments = { apiVersion: 'apps/v1', kind: 'Deployment' } as const;
type About = Pick<PlatformDrift, 'of' | 'revision_id'>;
type Part = KubernetesObject & { spec?: object; automountServiceAccountToken?: boolean };

export async function clusterDrift({ cluster, home, ledger, told, signal }: Comparing): Promise<PlatformDrift[]> {
  const recorded = (await ledger.list()).filter(({ kind }) => kind === deployments.kind);
  const there = await cluster.list<V1Deployment>(deployments, objects.ownedBy(home), signal);
  const found: PlatformDrift[] = [];
  for (const one of recorded) {
    const { revision_id, name } = one;
    if (revision_id === null || !told.has(revision_id)) continue;
    const live = there.find(({ metadata }) => metadata?.name === name);
    const replicas = told.get(revision_id);
    found.push(...(await driftOf(one, { live, replicas }, { cluster, signal })));
  }
  const foreign = there
    .map(({ metadata }) => metadata?.name ?? '')
    .filter((name) => !recorded.some((one) => one.name === name));
  return [...found, ...foreign.map(asForeign)];
}

const asForeign = (name: string): PlatformDrift => ({
  kind: deployments.kind,
  name,
  of: name,
  revision_id: null,
  what: 'foreign',
  detail: 'it has the labels of this service, and is not on the record',
});

type Asking = Pick<Comparing, 'cluster' | 'signal'>;

async function driftOf(
  { name, revision_id, described = {} }: Recorded,
  { live, replicas }: { live: V1Deployment | undefined; replicas: number | undefined },
  asking: Asking,
): Promise<PlatformDrift[]> {
  const { cluster, signal } = asking;
  const about = { of: name, revision_id };
  const drifted = (what: PlatformDrift['what'], detail: string): PlatformDrift => ({
    ...about,
    kind: deployments.kind,
    name,
    what,
    detail,
  });
  if (live === undefined) {
    const other = await cluster.read({ ...deployments, metadata: { name } }, signal);
    return [
      other === undefined ? drifted('missing', 'it is gone') : drifted('changed', saidPaths(['metadata.labels'])),
    ];
  }
  const { deployment, beside } = described as Partial<objects.Described>; // as `describe` has recorded it
  const found: PlatformDrift[] = [];
  const paths = deployment === undefined ? [] : await differences(deployment, live, asking);
  if (paths.length > 0) found.push(drifted('changed', saidPaths(paths)));
  else if (replicas !== undefined && live.spec?.replicas !== replicas)
    found.push(drifted('changed', `it has ${live.spec?.replicas ?? 0} replicas, and ${replicas} are asked for`));
  for (const one of beside ?? []) found.push(...(await driftBeside(one, about, asking)));
  if ((replicas ?? 0) > 0) found.push(...(await missing(filesOf(name), about, asking)));
  return found;
}

const filesOf = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: objects.secretOf(name) } });

async function driftBeside(one: Part, about: About, asking: Asking): Promise<PlatformDrift[]> {
  const metadata = { name: one.metadata?.name ?? '' };
  const live = await asking.cluster.read<Part>({ ...one, metadata }, asking.signal);
  if (live === undefined) return [gone({ kind: one.kind, name: metadata.name }, about)];
  const paths = await differences(one, live, asking);
  const changed = { ...about, kind: one.kind ?? '', name: metadata.name, what: 'changed' as const };
  return paths.length === 0 ? [] : [{ ...changed, detail: saidPaths(paths) }];
}

async function missing(
  one: KubernetesObject & { metadata: { name: string } },
  about: About,
  { cluster, signal }: Asking,
): Promise<PlatformDrift[]> {
  const live = await cluster.read(one, signal);
  return live === undefined ? [gone({ kind: one.kind, name: one.metadata.name }, about)] : [];
}

const gone = ({ kind = '', name }: { kind?: string | undefined; name: string }, about: About): PlatformDrift => ({
  ...about,
  kind,
  name,
  what: 'missing',
  detail: 'it is gone',
});

async function differences(wanted: Part, live: Part, { cluster, signal }: Asking): Promise<string[]> {
  // Under another name: with its own, the answer would keep what others have added. And without an owner, which is known only when it is made.
  const metadata = { name: `${wanted.metadata?.name ?? ''}-compared`, labels: wanted.metadata?.labels };
  const made = await cluster.rehearse({ ...wanted, metadata }, signal);
  return differingPaths(compared(made), compared(live));
}

/** The number of replicas is told later. Whoever adds labels or annotations to a template changes no replica's work. */
function compared({ spec, automountServiceAccountToken }: Part) {
  const { replicas: _, template, ...others } = (spec ?? {}) as NonNullable<V1Deployment['spec']> & object; // or a spec without these
  return { automountServiceAccountToken, ...others, template: template?.spec };
}
