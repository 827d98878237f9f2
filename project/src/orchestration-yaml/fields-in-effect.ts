// The effect of every field of orchestration.yaml today, as agent-yaml/fields-in-effect.ts has it for agent.yaml.
import { declaredFields, type FieldEffect } from '../agent-yaml/fields-in-effect.ts';
import type { OrchestrationConfig, Strategy } from './config.ts';
import { leadOf } from './lead.ts';

/** `agents.*` is a field of every member. */
export const orchestrationFieldsInEffect: readonly FieldEffect[] = [
  { field: 'name', state: 'in effect', sentence: 'Names the orchestration and its address.' },
  { field: 'version', state: 'in effect', sentence: 'Names the content, which is final from the push on.' },
  { field: 'description', state: 'in effect', sentence: 'Found by search.' },
  { field: 'team', state: 'in effect', sentence: 'Decides who may read, submit and deploy the orchestration.' },
  { field: 'owner', state: 'in effect', sentence: 'Owns the asset from the first push on.' },
  { field: 'tags', state: 'in effect', sentence: 'Found by search.' },
  { field: 'strategy', state: 'in effect', sentence: 'Decides which members are called, and with which input.' },
  { field: 'agents', state: 'in effect', sentence: 'Their order is the order of the calls, and part of the digest.' },
  {
    field: 'agents.*.ref',
    state: 'in effect',
    sentence: 'A call goes to the serving version. With `@<version>`, it is refused while other content serves.',
  },
  {
    field: 'agents.*.routes',
    state: 'in effect',
    sentence: 'With `strategy: router`: the first match decides, and `default` is the last. No match is refused.',
  },
  { field: 'agents.*.fallback', state: 'in effect', sentence: 'Called with the same input when the member fails.' },
  {
    field: 'agents.*.input',
    state: 'in effect',
    sentence: 'The text of the task is put there. An object that has this place is the whole input.',
  },
  { field: 'agents.*.output', state: 'in effect', sentence: 'The text of the output is read there.' },
  {
    field: 'agents.*.timeout_seconds',
    state: 'in effect',
    sentence: 'A call that reaches it has failed: then its `fallback` and `on_error` apply.',
  },
  { field: 'agents.*.retry', state: 'in effect', sentence: 'true: a call with a lost answer is sent again.' },
  {
    field: 'supervisor_config.supervisor_agent',
    state: 'in effect',
    sentence: 'With `strategy: supervisor`: it delegates to the others, and answers.',
  },
  {
    field: 'supervisor_config.merge_agent',
    state: 'in effect',
    sentence: 'With `strategy: fan_out_fan_in`: it gets the outputs of the others, and answers.',
  },
  {
    field: 'supervisor_config.classifier',
    state: 'in effect',
    sentence: 'With `strategy: router`: its answer must be one of the conditions or targets.',
  },
  {
    field: 'supervisor_config.max_iterations',
    state: 'in effect',
    sentence: 'With `strategy: supervisor`: a run that reaches it fails.',
  },
  {
    field: 'timeout_seconds',
    state: 'in effect',
    sentence: 'A run that reaches it fails, with the answers of its members so far.',
  },
  { field: 'on_error', state: 'in effect', sentence: 'With `continue`, the run ends as `partial`.' },
  {
    field: 'budget_usd',
    state: 'in effect',
    sentence: 'Checked before each call of a member, and before each call to a model that names the run (`X-Svc-Run`).',
  },
  { field: 'shared_state', state: 'listed', sentence: 'Members get their input, and share no other state.' },
  {
    field: 'deploy.target',
    state: 'in effect',
    sentence:
      'It runs in the service. Each of its members must serve on this target, else a deploy and a call are refused.',
  },
  { field: 'deploy.resources.cpu', state: 'listed', sentence: 'An orchestration has no container of its own.' },
  { field: 'deploy.resources.memory', state: 'listed', sentence: 'An orchestration has no container of its own.' },
];

/** Declared fields without an effect: deploy and status name them. */
export const orchestrationNotInEffect = (config: OrchestrationConfig): FieldEffect[] =>
  declaredFields(orchestrationFieldsInEffect, config, 'listed');

/** Declared fields that only another strategy reads. A member is `agents` and its position. */
export function fieldsOfOtherStrategies({
  strategy,
  agents,
  supervisor_config = {},
}: OrchestrationConfig): { path: (string | number)[]; strategy: Strategy }[] {
  const declared = [
    ...agents.flatMap(({ routes }, index) =>
      routes === undefined ? [] : [{ path: ['agents', index, 'routes'], strategy: 'router' as const }],
    ),
    ...Object.entries(strategyOf)
      .filter(([field]) => Object.hasOwn(supervisor_config, field))
      .map(([field, of]) => ({ path: ['supervisor_config', field], strategy: of })),
  ];
  return declared.filter((field) => field.strategy !== strategy);
}

/** A lead is never a worker, so these fallbacks are not called. */
export function fallbacksWithoutEffect(config: OrchestrationConfig): { path: (string | number)[]; lead: string }[] {
  const lead = leadOf(config);
  if (lead?.name === undefined) return [];
  return config.agents.flatMap(({ fallback }, index) =>
    fallback === lead.name ? [{ path: ['agents', index, 'fallback'], lead: lead.field }] : [],
  );
}

const strategyOf = {
  supervisor_agent: 'supervisor',
  merge_agent: 'fan_out_fan_in',
  classifier: 'router',
  max_iterations: 'supervisor',
} as const satisfies Record<keyof NonNullable<OrchestrationConfig['supervisor_config']>, Strategy>;
