// What a content reaches, the widest first, and how that differs from what serves. From the config, the pins and, for an agent, the team and
// the organisation's setting. Pure; every place that shows reach shows these lines.
import { isCovered } from '@gantry/project/agent-yaml/egress.ts';
import { parseHostedPackage } from '@gantry/project/hosted-package.ts';
import type { ReachLine } from '@gantry/contract/assets/reach.ts';
import { parseAnyRef, parseLabelRef } from '@gantry/contract/refs.ts';
import type { StoredContent } from '../content-store.ts';
import type { PinnedMemory } from '../references/memory-of-agent.ts';
import type { PinnedSkill } from '../skills/pinned-skills.ts';
import type { HostedReach, ReachOfServers } from '../tool-lists/reach-of-servers.ts';

export interface Reaching extends Pick<StoredContent, 'config' | 'pins'> {
  /** Absent for a kind that is not deployed: it has no container and no gateway key. */
  agent?: {
    team: string;
    /** The destinations of its container besides the gateway. Undefined: not limited. */
    egress: readonly string[] | undefined;
    memory: PinnedMemory | undefined;
    skills: readonly PinnedSkill[];
  } & ReachOfServers;
}

/** A reference with another pinned content counts as changed, also with an equal version. Without `before`, each line is new. */
export function reachOf(after: Reaching, before?: Reaching): ReachLine[] {
  const [old, new_] = [before === undefined ? [] : reached(before), reached(after)];
  const lines = [
    ...new_.map((is) => compared(is, old, new_)),
    ...old.filter((was) => !new_.some((is) => covers(is, was))).map((was) => lineOf(was, 'removed', { before: was })),
  ];
  return lines.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || (a.name < b.name ? -1 : 1));
}

interface Reached {
  kind: ReachLine['kind'];
  name: string;
  version: string | null;
  digest: string | null;
  about?: string;
}

function compared(is: Reached, old: readonly Reached[], new_: readonly Reached[]): ReachLine {
  const was = old.find((one) => isSame(one, is));
  if (was !== undefined) return lineOf(is, was.digest === is.digest ? 'same' : 'changed', { before: was, after: is });
  const wider = old.filter((one) => covers(one, is));
  if (wider.some((one) => new_.some((kept) => covers(kept, one)))) return lineOf(is, 'same', { after: is });
  if (wider.length > 0) return lineOf(is, 'narrowed', { after: is, of: wider });
  const parts = old.filter((one) => covers(is, one));
  return lineOf(is, parts.length > 0 ? 'widened' : 'added', { after: is, of: parts });
}

function lineOf(
  { kind, name }: Reached,
  change: ReachLine['change'],
  { before, after, of = [] }: { before?: Reached; after?: Reached; of?: readonly Reached[] },
): ReachLine {
  const unbounded = kind === 'internet' || kind === 'models';
  const instead_of = of.map((one) => one.name);
  return {
    kind,
    name,
    unbounded,
    change,
    instead_of,
    before: before?.version ?? null,
    after: after?.version ?? null,
    about: (after ?? before)?.about ?? null,
  };
}

const isSame = (one: Reached, other: Reached) => one.kind === other.kind && one.name === other.name;

/** Whoever reaches `wide` reaches `narrow`. */
function covers(wide: Reached, narrow: Reached): boolean {
  if (isSame(wide, narrow)) return true;
  if (wide.kind === 'internet') return narrow.kind === 'host';
  if (wide.kind === 'models') return narrow.kind === 'model';
  if (wide.kind !== 'host' || narrow.kind !== 'host') return false;
  const [, host = '', port = ''] = /^(?:\*\.)?(.*):(\d+)$/.exec(narrow.name) ?? [];
  return isCovered([wide.name], { host, port: Number(port) });
}

const order: readonly ReachLine['kind'][] = [
  'internet',
  'shared-memory',
  'models',
  'model',
  'secret',
  'user-credential',
  'agent',
  'orchestration',
  'mcp-server',
  'hosted-package',
  'hosted-secret',
  'hosted-host',
  'tool',
  'knowledge-base',
  'rag-index',
  'memory-config',
  'prompt',
  'skill',
  'host',
];

function reached({ config, pins, agent }: Reaching): Reached[] {
  const pinned = pins.flatMap(({ ref, version, digest, tools }): Reached[] => {
    const kind = parseAnyRef(ref)?.kind;
    // A label moves by changes of its own, so it is the same at each push.
    if (parseLabelRef(ref) !== undefined) return [{ kind: 'prompt', name: ref, version: null, digest: null }];
    // Another list of tools is another reach, also at the same address.
    if (kind === undefined) return [];
    const skill = agent?.skills.find((one) => one.ref === ref);
    const about = skill && { about: aboutSkill(skill) };
    return [{ kind, name: ref, version, digest: `${digest} ${tools ?? ''}`, ...about }];
  });
  const { secrets } = objectAt(config, 'deploy');
  return [
    ...pinned,
    ...named('secret', Array.isArray(secrets) ? secrets : []),
    ...(agent ? ofAgent(config, agent) : []),
  ];
}

const max_names = 20;

function aboutSkill({ description, manifest }: PinnedSkill): string {
  const names = manifest.slice(0, max_names).map(({ path }) => path);
  const others = manifest.length > max_names ? ` and ${manifest.length - max_names} more` : '';
  return `${description} (${names.join(', ')}${others})`;
}

function ofAgent(
  config: Record<string, unknown>,
  { team, egress, memory, as_user, hosted }: NonNullable<Reaching['agent']>,
): Reached[] {
  const { primary, fallback } = objectAt(config, 'model');
  // Its gateway key calls the models that it names, and without one all of its team (deploy/revision-key.ts).
  const models = named('model', [primary, fallback]);
  return [
    ...(models.length === 0 ? named('models', [`every model of team ${team}`]) : models),
    ...named('user-credential', as_user),
    ...hosted.flatMap(ofHosted),
    ...named('model', [memory?.config.model?.ref, memory?.config.embedding?.ref]),
    ...named('shared-memory', memory === undefined ? [] : sharing(memory, team)),
    ...(egress === undefined ? named('internet', ['the whole internet']) : named('host', egress)),
  ];
}

/** Kinds of their own: the agent reaches none of it itself, so its own network and secrets cover none of it. */
function ofHosted({ server, package: hosted, egress, secrets }: HostedReach): Reached[] {
  const { name, version } = parseHostedPackage(hosted) ?? { name: hosted, version: null };
  const [index] = hosted.split(':', 1);
  return [
    { kind: 'hosted-package', name: `${index}:${name} of ${server}`, version, digest: hosted },
    ...named(
      'hosted-secret',
      secrets.map((secret) => `${secret} of ${server}`),
    ),
    ...named(
      'hosted-host',
      egress.map((host) => `${host} of ${server}`),
    ),
  ];
}

function sharing({ ref, config: { scope } }: PinnedMemory, team: string): string[] {
  if (scope === 'user') return [];
  return [scope === 'agent' ? 'of all its callers' : `of all callers of the agents of team ${team} with ${ref}`];
}

function named(kind: ReachLine['kind'], names: readonly unknown[]): Reached[] {
  const texts = new Set(names.filter((name) => typeof name === 'string'));
  return [...texts].map((name) => ({ kind, name, version: null, digest: null }));
}

function objectAt(config: Record<string, unknown>, key: string): Record<string, unknown> {
  const value = config[key];
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}; // an object of JSON
}
