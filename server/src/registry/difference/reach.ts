// The reach of an agent through the service, from its config; the pinned contents, from its pins.
import type { Difference } from '@gantry/contract/difference.ts';
import { parseAnyRef } from '@gantry/contract/refs.ts';
import type { Compared } from './difference.ts';

type Reach = Difference['reach'][number];
interface Reached {
  kind: Reach['kind'];
  name: string;
  version: string | null;
  digest: string | null;
}

/** A reference with another pinned content counts as changed, also with an equal version. */
export function reachChanges(before: Compared | undefined, after: Compared): Difference['reach'] {
  const [old, new_] = [reachOf(before), reachOf(after)];
  // A first version without a list adds nothing to what the setting of the organisation gives.
  if (before === undefined) new_.delete(`host ${every_host}`);
  return [...new Set([...old.keys(), ...new_.keys()])].toSorted().flatMap((key) => {
    const [was, is] = [old.get(key), new_.get(key)];
    const either = is ?? was;
    if (either === undefined || (was !== undefined && is !== undefined && was.digest === is.digest)) return [];
    const change = was === undefined ? 'added' : is === undefined ? 'removed' : 'changed';
    return [{ kind: either.kind, name: either.name, change, before: was?.version ?? null, after: is?.version ?? null }];
  });
}

function reachOf(content: Compared | undefined): Map<string, Reached> {
  if (content === undefined) return new Map();
  const { config, pins } = content;
  const pinned = pins.flatMap(({ ref, version, digest }): Reached[] => {
    const kind = parseAnyRef(ref)?.kind;
    return kind === undefined ? [] : [{ kind, name: ref, version, digest }];
  });
  const named = (kind: Reach['kind'], names: unknown[]): Reached[] =>
    names.flatMap((name) => (typeof name === 'string' ? [{ kind, name, version: null, digest: null }] : []));
  const model = objectAt(config, 'model');
  const { secrets, egress } = objectAt(config, 'deploy');
  const reached = [
    ...pinned,
    ...named('model', [model['primary'], model['fallback']]),
    ...named('secret', Array.isArray(secrets) ? secrets : []),
    ...named('host', Array.isArray(egress) ? egress : [every_host]),
  ];
  return new Map(reached.map((one) => [`${one.kind} ${one.name}`, one]));
}

const every_host = 'every host that agent_egress allows';

function objectAt(config: Record<string, unknown>, key: string): Record<string, unknown> {
  const value = config[key];
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}; // an object of JSON
}
