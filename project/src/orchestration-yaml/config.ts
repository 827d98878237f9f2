// Every field of orchestration.yaml, once: types, validation, the editors' JSON Schema and the reference page come from here.
import { z } from 'zod';
import { resources, tag } from '../agent-yaml/config.ts';
import { identifier } from '@gantry/contract/identifiers.ts';
import { listOf } from '@gantry/contract/formats/list-of.ts';
import { refToMember } from '@gantry/contract/assets/ref-to.ts';
import { email, json, name, text, usd, version } from '@gantry/contract/wire.ts';
import { condition } from './condition.ts';
import { faultsBetweenFields } from './faults-between-fields.ts';
import { jsonPointer } from './json-pointer.ts';

const strategies = ['sequential', 'parallel', 'fan_out_fan_in', 'router', 'supervisor'] as const;
export type Strategy = (typeof strategies)[number];

const most_members = 50;

const timeoutSeconds = z.int().min(1).max(86_400);
/** The limit of a run that names none. A run holds a place until its end. */
export const default_timeout_seconds = 3600;

const localName = (description: string) => name.optional().describe(description);

const member = refToMember.map.extend({
  ref: refToMember.map.shape.ref.describe(
    'The asset that it calls: agents/<name> or orchestrations/<name>; with @<version> only that version',
  ),
  routes: listOf(
    z.strictObject({
      condition: condition.describe(
        'Text that the input contains, `default`, or a map of contains, regex, or equals and at',
      ),
      target: name.describe('The local name of the member that gets the input'),
    }),
    50,
  )
    .min(1)
    .optional()
    .describe(
      'Of the router: the first route whose condition matches, in the order of the file. The routes of all members are one list',
    ),
  fallback: localName('The local name of the member that is called when this one fails'),
  input: jsonPointer.optional().describe('Where the input of the member gets the text of the task, as a JSON pointer'),
  output: jsonPointer.optional().describe('Where the output of the member has its text, as a JSON pointer'),
  timeout_seconds: timeoutSeconds
    .optional()
    .describe('The longest call of the member, in seconds; then it has failed. Unset: as long as the run'),
  retry: z.boolean().optional().describe('Of an agent: true: a call whose answer was lost is sent again'),
});
export type OrchestrationMember = z.output<typeof namedMember>;

/** In the stored form. */
const namedMember = z.strictObject({ name, ...member.shape });

const supervisorConfig = z.strictObject({
  supervisor_agent: localName('Of `supervisor`: the local name of the member that delegates and answers'),
  merge_agent: localName('Of `fan_out_fan_in`: the local name of the member that merges the outputs of the others'),
  classifier: localName('Of `router`: the local name of the member that names the route, in place of the conditions'),
  max_iterations: z.int().min(1).max(10).optional().describe('Of `supervisor`: its most turns; unset: 3'),
});

export const orchestrationConfig = z
  .strictObject({
    name: name.describe('The name of the orchestration, unique in the organisation'),
    version: version.describe('MAJOR.MINOR.PATCH. The content under a version is final'),
    description: text.optional().describe('The work of the orchestration, for people who search for it'),
    team: name.describe('The registered team that the orchestration belongs to'),
    owner: email.optional().describe('E-mail address of the owner; unset: the user of the first push'),
    tags: listOf(tag, 50).optional().describe('Words for the search'),
    strategy: z
      .enum([...strategies, 'hierarchical'])
      .transform((written): Strategy => (written === 'hierarchical' ? 'supervisor' : written))
      .describe('How the members work together; `hierarchical` means `supervisor`'),
    agents: z
      .union([z.record(name, member), z.array(namedMember)])
      .refine((members) => count(members) > 0, 'needs at least one member')
      .refine((members) => count(members) <= most_members, `has more than ${most_members} members`)
      .describe('The members: a map from local names to agents and orchestrations, in the order of their calls'),
    supervisor_config: supervisorConfig.optional().describe('The members with a part of their own'),
    timeout_seconds: timeoutSeconds
      .optional()
      .describe(`The longest run, in seconds; unset: ${default_timeout_seconds}`),
    on_error: z
      .enum(['fail', 'continue'])
      .optional()
      .describe('After a member and its fallback fail: `fail` (unset) ends the run, `continue` goes on without it'),
    budget_usd: usd.optional().describe('The most that the models of one run may cost'),
    shared_state: z.record(z.string().max(100), json).optional().describe('State that all members share'),
    deploy: z
      .strictObject({
        target: identifier
          .optional()
          .describe('The target on which all members must serve. Unset: wherever each of them serves'),
        resources: resources.optional().describe('Processors and memory'),
      })
      .optional()
      .describe('Where it runs'),
  })
  .superRefine((config, context) => {
    const { agents, ...others } = config;
    for (const { path, ...fault } of faultsBetweenFields({ ...others, agents: membersOf(agents) }))
      context.addIssue({ code: 'custom', path: placeInFile(path, agents), ...fault });
  })
  .transform(({ agents, ...others }) => ({ ...others, agents: membersOf(agents) }));
export type OrchestrationConfig = z.output<typeof orchestrationConfig>;

type Members = Record<string, z.output<typeof member>> | OrchestrationMember[];

/** The keys of an object keep the order of the file, because no name looks like a number. */
function membersOf(agents: Members): OrchestrationMember[] {
  if (Array.isArray(agents)) return agents;
  return Object.entries(agents).map(([local, one]) => ({ name: local, ...one }));
}

/** A member has a position in the list, and a name in a map. */
export function placeInFile(path: readonly (string | number)[], agents: object): (string | number)[] {
  const [field, position, ...rest] = path;
  const name = Array.isArray(agents) || field !== 'agents' ? undefined : Object.keys(agents)[Number(position)];
  return name === undefined ? [...path] : ['agents', name, ...rest];
}

const count = (members: object): number => Object.keys(members).length;
