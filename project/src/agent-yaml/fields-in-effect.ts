// The effect of every declared field today. `svc validate` reports it, deploy lists it, and the reference page prints it.
import { local_target } from '@gantry/contract/assets/targets.ts';
import type { AgentConfig } from './config.ts';

export interface FieldEffect {
  field: string;
  /** `listed`: accepted, and named as "not in effect" by deploy and status. */
  state: 'in effect' | 'listed';
  sentence: string;
  /** The row is about these values only. */
  values?: readonly (string | number)[];
  /** The row is about configs in which this field has this value, or none. */
  with?: { field: string; value: string };
}

const on_local = { field: 'deploy.cloud', value: local_target };

export const fieldsInEffect: readonly FieldEffect[] = [
  { field: 'name', state: 'in effect', sentence: 'Names the agent, its address and its containers.' },
  { field: 'version', state: 'in effect', sentence: 'Names the content; final once approved or deployed.' },
  { field: 'description', state: 'in effect', sentence: 'Found by search.' },
  { field: 'team', state: 'in effect', sentence: 'Decides who may read, submit and deploy the agent.' },
  { field: 'owner', state: 'in effect', sentence: 'Owns the asset from the first push on.' },
  { field: 'tags', state: 'in effect', sentence: 'Found by search.' },
  {
    field: 'framework',
    state: 'in effect',
    sentence: 'Decides the export of agent.py and the packages of its image.',
  },
  {
    field: 'entrypoint',
    state: 'in effect',
    sentence: 'Names the file and the name of the agent, in place of agent.py.',
  },
  {
    field: 'model.primary',
    state: 'in effect',
    sentence: 'The agent may call this model and `model.fallback`, and no other. Unset: those that its team may use.',
  },
  {
    field: 'model.fallback',
    state: 'in effect',
    sentence: 'Takes over before the first byte of an answer, within one format of calls.',
  },
  { field: 'model.temperature', state: 'in effect', sentence: 'Applies to a call without one.' },
  {
    field: 'model.max_tokens',
    state: 'in effect',
    sentence: 'The most tokens of an answer. A smaller limit in the request wins.',
  },
  { field: 'model.gateway', state: 'in effect', sentence: "Every value means the service's own gateway." },
  {
    field: 'tools',
    state: 'in effect',
    sentence:
      'References are pinned at push and checked before a deploy. Those of `type: http` are tools of one server, `registry`, at SVC_MCP_URL and at SVC_MCP_REGISTRY_URL. All others are documentation: they run in the code of the agent.',
  },
  {
    field: 'subagents',
    state: 'in effect',
    sentence: 'Gives the container an address for each of them, SVC_SUBAGENT_<NAME>_URL, at which it speaks A2A.',
  },
  {
    field: 'knowledge_bases',
    state: 'in effect',
    sentence:
      'Each is the tool `search_<name>` at SVC_MCP_URL and at SVC_MCP_KNOWLEDGE_URL. It finds what the end caller may read in the snapshot that serves.',
  },
  {
    field: 'mcp_servers',
    state: 'in effect',
    sentence:
      'Gives the container one address with the pinned tools of all of them, SVC_MCP_URL, and SVC_MCP_<NAME>_URL for each, with their pinned prompts, and with their resources where `resources` is true. A server with a `command` is not called.',
  },
  {
    field: 'skills',
    state: 'in effect',
    sentence:
      'Pinned at push and checked before a deploy. Their files are part of the image, read-only, at <SVC_SKILLS_DIR>/<name>/SKILL.md.',
  },
  {
    field: 'prompts',
    state: 'in effect',
    sentence:
      'Gives the agent the text of each: as an MCP prompt at SVC_MCP_URL and at the address SVC_PROMPTS_URL. A version is pinned at the push, and a file in SVC_PROMPTS_DIR; a label is read anew each time.',
  },
  {
    field: 'memory',
    state: 'in effect',
    sentence:
      'Decides how long threads and items of the store are kept, who shares the items, and which part of a conversation reaches a model.',
  },
  {
    field: 'files',
    state: 'in effect',
    sentence:
      'Files of other types are refused at the ingress, and people can attach files of these types. `[]` refuses each file.',
  },
  {
    field: 'guardrails',
    state: 'in effect',
    sentence: 'Checked at the gateway and at the ingress, before a text goes on.',
  },
  { field: 'access.visibility', state: 'in effect', sentence: 'Restricts who may read the agent; public means org.' },
  { field: 'access.allowed_callers', state: 'in effect', sentence: 'Restricts who may call the agent.' },
  {
    field: 'access.may_answer',
    state: 'in effect',
    sentence: 'May read what a waiting run asks, and answer it, beside its caller.',
  },
  { field: 'access.require_approval', state: 'in effect', sentence: 'true: admins also need an approval.' },
  {
    field: 'access.approvals_required',
    state: 'in effect',
    sentence: 'This many admins must approve a version; never fewer than the organisation requires.',
  },
  {
    field: 'deploy.cloud',
    state: 'in effect',
    sentence:
      'local: runs in containers beside the service. Another name: runs on that target (`svc target list`), or on the only target of that kind.',
  },
  {
    field: 'deploy.runtime',
    state: 'in effect',
    sentence:
      'The container service of the target, such as `ecs-fargate`. With a kind in `deploy.cloud` it chooses the target, and another one is refused.',
  },
  { field: 'deploy.runtime', state: 'listed', with: on_local, sentence: '`local` is no cloud.' },
  {
    field: 'deploy.region',
    state: 'in effect',
    sentence:
      'The region of the target. With a kind in `deploy.cloud` it chooses the target, and another one is refused.',
  },
  { field: 'deploy.region', state: 'listed', with: on_local, sentence: '`local` is no cloud.' },
  {
    field: 'deploy.scaling.min',
    state: 'in effect',
    sentence:
      'At least this many containers run. 0: after five minutes without calls none runs, and the next call starts one.',
  },
  { field: 'deploy.scaling.max', state: 'in effect', sentence: 'At most this many containers run.' },
  {
    field: 'deploy.scaling.target_cpu',
    state: 'in effect',
    sentence:
      'Above this use of their processors, containers are added. After five calm minutes, one a minute is removed.',
  },
  {
    field: 'deploy.scaling.target_concurrency',
    state: 'in effect',
    sentence:
      'Above this number of open calls each, containers are added. Unset: half of the calls that a container runs at once.',
  },
  {
    field: 'deploy.isolation',
    state: 'in effect',
    sentence:
      'Runs only on a target that has it: a cluster with a RuntimeClass for it. Other targets refuse the agent.',
  },
  { field: 'deploy.resources.cpu', state: 'in effect', sentence: 'The limit of the container.' },
  { field: 'deploy.resources.memory', state: 'in effect', sentence: 'The limit of the container.' },
  {
    field: 'deploy.concurrency',
    state: 'in effect',
    sentence: 'This many calls run at once. Further calls wait, and one caller gets at most half of the slots.',
  },
  {
    field: 'deploy.tracing.enabled',
    state: 'in effect',
    sentence: 'false: its image has no instrumentation, and only the service records its calls.',
  },
  {
    field: 'deploy.tracing.hide_inputs',
    state: 'in effect',
    sentence: 'Traces have no inputs. The setting hide_trace_inputs of the organisation does the same for all agents.',
  },
  {
    field: 'deploy.tracing.hide_outputs',
    state: 'in effect',
    sentence:
      'Traces have no outputs. The setting hide_trace_outputs of the organisation does the same for all agents.',
  },
  {
    field: 'deploy.secrets',
    state: 'in effect',
    sentence: 'Each name is a secret of the agent or of its team, and a variable in the container.',
  },
  { field: 'deploy.env_vars', state: 'in effect', sentence: 'Set in the container.' },
  {
    field: 'deploy.egress',
    state: 'in effect',
    sentence: 'The container reaches these destinations through a proxy, the model gateway, and nothing else.',
  },
];

/** Declared fields without an effect so far: deploy and status name them. */
export const notInEffect = (config: AgentConfig): FieldEffect[] => declaredFields(fieldsInEffect, config, 'listed');

/** The rows of this state whose fields have a value in the config. */
export function declaredFields(
  rows: readonly FieldEffect[],
  config: object,
  state: FieldEffect['state'],
): FieldEffect[] {
  return rows.filter((row) => {
    if (row.state !== state) return false;
    if (row.with !== undefined && (valueOf(config, row.with.field) ?? row.with.value) !== row.with.value) return false;
    const value = valueOf(config, row.field);
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return false;
    return row.values === undefined || row.values.some((one) => one === value);
  });
}

function valueOf(config: object, field: string): unknown {
  let at: unknown = config;
  for (const step of field.split('.')) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Object.getOwnPropertyDescriptor(at, step)?.value;
  }
  return at;
}
