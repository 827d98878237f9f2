// Rules over several fields of an orchestration, as a pure function of its list form.
import { nearest } from '@gantry/contract/nearest.ts';
import { isOrchestration } from './is-orchestration.ts';
import { default_condition, patternFaults } from './condition.ts';
import type { OrchestrationConfig } from './config.ts';
import { leadOf } from './lead.ts';

export interface Fault {
  /** A member is `agents` and its position. */
  path: (string | number)[];
  message: string;
  params?: { finding: 'duplicate_entry' };
}

export function faultsBetweenFields(config: OrchestrationConfig): Fault[] {
  const faults = [...repeatedNames(config), ...unknownMembers(config)];
  // The other rules follow the names.
  return faults.length > 0
    ? faults
    : [
        ...fallbackCycles(config),
        ...bySupervision(config),
        ...byRouting(config),
        ...bySequence(config),
        ...byNesting(config),
      ];
}

/** Only the list form can repeat a name. */
function repeatedNames({ agents }: OrchestrationConfig): Fault[] {
  return agents.flatMap(({ name }, index) =>
    agents.findIndex((earlier) => earlier.name === name) === index
      ? []
      : [{ path: ['agents', index, 'name'], message: 'is in the list twice', params: { finding: 'duplicate_entry' } }],
  );
}

function unknownMembers({ agents, supervisor_config = {} }: OrchestrationConfig): Fault[] {
  const names = agents.map(({ name }) => name);
  const { supervisor_agent, merge_agent, classifier } = supervisor_config;
  const used = [
    ...agents.flatMap(({ routes = [], fallback }, index) => [
      ...routes.map(({ target }, at) => ({ path: ['agents', index, 'routes', at, 'target'], name: target })),
      { path: ['agents', index, 'fallback'], name: fallback },
    ]),
    ...Object.entries({ supervisor_agent, merge_agent, classifier }).map(([field, name]) => ({
      path: ['supervisor_config', field],
      name,
    })),
  ];
  return used.flatMap(({ path, name }): Fault[] => {
    if (name === undefined || names.includes(name)) return [];
    const meant = nearest(name, names);
    const question = meant === undefined ? '' : `; did you mean \`${meant}\`?`;
    return [{ path, message: `is \`${name}\`, which is not a member of \`agents\`${question}` }];
  });
}

/** One fault for each cycle, at its first member. */
function fallbackCycles(config: OrchestrationConfig): Fault[] {
  const lead = leadOf(config)?.name;
  const agents = config.agents.map(({ name, fallback }) => ({
    name,
    fallback: fallback === lead ? undefined : fallback,
  }));
  const next = new Map(agents.map(({ name, fallback }) => [name, fallback]));
  const told = new Set<string>();
  return agents.flatMap(({ name, fallback }, index): Fault[] => {
    const path = ['agents', index, 'fallback'];
    if (fallback === name) return [{ path, message: 'is the member itself' }];
    const chain = chainFrom(name, next);
    if (chain.at(-1) !== name || told.has(name)) return [];
    for (const one of chain) told.add(one);
    return [{ path, message: `makes a cycle of fallbacks: ${[name, ...chain].join(' → ')}` }];
  });
}

/** The fallbacks after `first`, until the first repeated one. */
function chainFrom(first: string, next: ReadonlyMap<string, string | undefined>): string[] {
  const chain: string[] = [];
  for (let at = next.get(first); at !== undefined; at = next.get(at)) {
    if (chain.includes(at)) break;
    chain.push(at);
    if (at === first) break;
  }
  return chain;
}

function bySupervision(config: OrchestrationConfig): Fault[] {
  const lead = leadOf(config);
  if (lead === undefined) return [];
  const { field, name } = lead;
  if (name === undefined)
    return [{ path: ['supervisor_config', field], message: `is missing; \`strategy: ${config.strategy}\` needs it` }];
  if (config.agents.length > 1) return [];
  return [{ path: ['agents'], message: `needs another member: \`${name}\` is the \`${field}\`, and never a worker` }];
}

/** The routes of all members are one list, in the order of the file. */
function byRouting({ strategy, agents }: OrchestrationConfig): Fault[] {
  if (strategy !== 'router') return [];
  const routes = agents.flatMap((member, index) =>
    (member.routes ?? []).map(({ condition }, at) => ({
      condition,
      path: ['agents', index, 'routes', at, 'condition'],
    })),
  );
  if (routes.length === 0)
    return [{ path: ['agents'], message: 'has no member with `routes`; `strategy: router` needs one' }];
  const defaults = routes.filter(({ condition }) => condition === default_condition);
  const patterns = routes.flatMap(({ condition, path }) =>
    typeof condition === 'object' && 'regex' in condition ? [{ path, pattern: condition.regex }] : [],
  );
  return [
    ...defaults.slice(1).map(({ path }) => ({ path, message: 'is the second `default`' })),
    ...patternFaults(patterns.map(({ pattern }) => pattern)).map(({ index, message }) => ({
      path: [...(patterns[index]?.path ?? []), 'regex'],
      message,
    })),
  ];
}

/** Each member gets the output of the one before it. */
function bySequence({ strategy, on_error }: OrchestrationConfig): Fault[] {
  return strategy === 'sequential' && on_error === 'continue'
    ? [{ path: ['on_error'], message: 'cannot be `continue` with `strategy: sequential`, which needs every output' }]
    : [];
}

/** An orchestration loses no answer: the calls of its own members are stored. */
function byNesting({ agents }: OrchestrationConfig): Fault[] {
  return agents.flatMap((member, index) =>
    member.retry !== undefined && isOrchestration(member)
      ? [{ path: ['agents', index, 'retry'], message: `is for agents: set it at the members of \`${member.ref}\`` }]
      : [],
  );
}
