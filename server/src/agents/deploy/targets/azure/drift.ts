// What somebody changed in the resource group by hand: container apps, and what their containers are made of. Values of secrets are not compared.
// Azure fills fields that nobody asked for, so only the fields of a request count, and every item of its lists.
import { asFarAs, differingPaths, isObject, saidPaths } from '../differing-paths.ts';
import type { PlatformDrift } from '../replicas/platform.ts';
import type { App } from './app.ts';
import { ownApps, replicasOf } from './apps.ts';
import type { AzureRun } from './container-apps-platform.ts';
import { descriptions, type RecordedDescription } from './made.ts';
import { nameOf } from './observe.ts';
import { key_variable, numberOf, replica } from './requests.ts';

const kind = 'container app';

export async function groupDrift(
  run: AzureRun,
  told: ReadonlyMap<string, number | undefined>,
  signal: AbortSignal,
): Promise<PlatformDrift[]> {
  const apps = await ownApps(run, signal);
  const recorded = await descriptions(run);
  const found = recorded
    .filter(({ revision_id }) => told.has(revision_id))
    .flatMap((one) =>
      appDrift(run, one, { apps, replicas: told.get(one.revision_id) }).map((is) => ({
        ...is,
        of: one.name,
        revision_id: one.revision_id,
      })),
    );
  const foreign = apps.filter((one) => !recorded.some(({ name }) => numberOf(name, one.name) !== undefined));
  return [...found, ...foreign.map(asForeign)];
}

type Found = Omit<PlatformDrift, 'of' | 'revision_id'>;

function appDrift(
  run: AzureRun,
  { name, revision_id, agent, template, fence }: RecordedDescription,
  { apps, replicas }: { apps: readonly App[]; replicas: number | undefined },
): Found[] {
  const running = replicasOf(name, apps);
  const changed = running.flatMap((one): Found[] => {
    const of = { number: numberOf(name, one.name) ?? 0, template, fence, key: '', sealed: '' };
    const { properties } = replica({ name, revision_id, agent }, run, of).body;
    const wanted = { configuration: withoutSecrets(properties.configuration), template: properties.template };
    const there = {
      configuration: withoutSecrets(one.properties.configuration),
      template: one.properties.template,
    };
    const differing = differingPaths(wanted, asFarAs(wanted, there), { ignores: (value) => value === '' });
    // The record has no key.
    const paths = differing.filter((path) => !path.endsWith(`.${key_variable}.value`));
    return paths.length === 0 ? [] : [{ kind, name: one.name, what: 'changed', detail: saidPaths(paths) }];
  });
  if (changed.length > 0 || replicas === undefined || running.length === replicas) return changed;
  const detail = `it has ${running.length} replicas, and ${replicas} are asked for`;
  return [{ kind, name, what: running.length < replicas ? 'missing' : 'changed', detail }];
}

/** An ingress would make the replica reachable, so it counts although nobody asks for one. The names of secrets count, and no value is answered. */
function withoutSecrets(configuration: unknown): unknown {
  if (!isObject(configuration)) return configuration;
  const { secrets, ...others } = configuration;
  const named = Array.isArray(secrets)
    ? secrets.map((one: unknown) => ({ name: isObject(one) ? one['name'] : one }))
    : [];
  return { ingress: null, ...others, secrets: named };
}

function asForeign(one: App): PlatformDrift {
  return {
    kind,
    name: one.name,
    of: nameOf(one) ?? one.name,
    revision_id: null,
    what: 'foreign',
    detail: 'it has the tag of this service, and is not on the record',
  };
}
