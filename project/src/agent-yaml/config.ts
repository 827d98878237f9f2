// Every field of agent.yaml, once: types, validation, the editors' JSON Schema and the reference page come from here. Strict on every
// level: a key outside the spec's table (`deploy.volumes`, `privileged`) is a fault, never ignored.
import { z } from 'zod';
import { entrypointRule, parseEntrypoint } from '../entrypoint/entrypoint.ts';
import { environment } from '@gantry/contract/agents/environment.ts';
import { mediaRange } from '@gantry/contract/agents/files/media-types.ts';
import { frameworkNames } from '../frameworks.ts';
import { guardrailList, withoutModel } from '@gantry/contract/guardrails.ts';
import { functionName, identifier, modelId, environmentName, toolName } from '@gantry/contract/identifiers.ts';
import { listOf } from '@gantry/contract/formats/list-of.ts';
import { mcpTransports } from '../mcp-transports.ts';
import { refTo, refToAgent, refToKnowledge, refToPrompt, refToSkill } from '@gantry/contract/assets/ref-to.ts';
import { isAnswerer } from '@gantry/contract/agents/answerers.ts';
import { searchTool } from '@gantry/contract/assets/tools.ts';
import { parseAnyRef, parsePrincipal, parseRef } from '@gantry/contract/refs.ts';
import { visibilities } from '@gantry/contract/roles.ts';
import { local_target } from '@gantry/contract/assets/targets.ts';
import { email, name, text, version } from '@gantry/contract/wire.ts';
import { destinationRule, isDestination } from './egress.ts';
import { callPolicyFields } from '../call-rules/config.ts';
import { cpuCount, memoryBytes } from './resources.ts';

/** The target of a deploy that names none. */
export const targetOf = ({ deploy }: Pick<AgentConfig, 'deploy'>): string => deploy?.cloud ?? local_target;

/** For a command about this target. */
export const targetFlag = (target: string): string => (target === local_target ? '' : ` --target ${target}`);

/** All of these mean the service's own gateway. */
const gatewayNames = ['default', 'gateway', 'litellm'] as const;

export const tag = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,62}$/, 'must be letters, digits and . _ : / -, at most 63');

const toolRef = refTo('tool', 'tools');
const tool = toolRef.map.extend(callPolicyFields);
const memoryConfigRef = refTo('memory-config', 'memory-configs');
/** The name of a prompt in the agent. Names of prompts of MCP servers have `__`, so no key is one of them. */
const promptKey = z
  .string()
  .regex(/^[a-z](?:[_-]?[a-z0-9]){0,31}$/, 'must be lower-case letters and digits, with single _ or -, at most 32');
const mcpServerRef = refTo('mcp-server', 'mcp');
const toolNames = listOf(toolName, 500);
const mcpServer = mcpServerRef.map.extend({
  transport: z.enum(mcpTransports).optional(),
  tools: z
    .strictObject({ allow: toolNames.optional(), deny: toolNames.optional() })
    .optional()
    .describe('Which of its pinned tools the agent may call: only those of `allow`, and none of `deny`; unset: all'),
  resources: z.boolean().optional().describe('true: the agent may read its resources; unset: none'),
  ...callPolicyFields,
});

const inlineTool = z.strictObject({
  name: functionName,
  type: z.enum(['function']),
  description: text.optional(),
});

export const resources = z.strictObject({
  cpu: z
    .string()
    .refine((cpu) => cpuCount(cpu) !== undefined, 'must be processors such as "0.5" or "500m", from 0.05 to 64')
    .optional()
    .describe('Processors, such as "0.5" or "500m"'),
  memory: z
    .string()
    .refine((memory) => memoryBytes(memory) !== undefined, 'must be a size such as 512Mi, 1Gi or 2GB, from 64Mi to 1Ti')
    .optional()
    .describe('Memory, such as 512Mi, 1Gi or 2GB'),
});

const deploy = z
  .strictObject({
    cloud: name
      .optional()
      .describe(
        'Where it runs: `local`, the name of another target, or a kind that has one target, there where `region` and `runtime` say. `svc deploy --target` overrides it',
      ),
    runtime: identifier.optional().describe('The container service of the target, such as `ecs-fargate`'),
    region: identifier.optional().describe('The region of the target, such as `eu-west-1`'),
    scaling: z
      .strictObject({
        min: z.int().min(0).max(1000).optional().describe('The fewest containers'),
        max: z.int().min(1).max(1000).optional().describe('The most containers'),
        target_cpu: z.int().min(1).max(100).optional().describe('The CPU use in percent that adds a container'),
        target_concurrency: z.int().min(1).max(256).optional().describe('The open calls of a container that add one'),
      })
      .refine(({ min = 0, max = 1000 }) => min <= max, { error: 'must not be less than `min`', path: ['max'] })
      .optional()
      .describe('How many containers run'),
    resources: resources.optional().describe('The limits of a container; unset: 1 processor and 1Gi'),
    concurrency: z
      .int()
      .min(1)
      .max(256)
      .optional()
      .describe(
        'How many calls a container runs at once; unset: 64, or 32 for synchronous code, and fewer below 1Gi of memory',
      ),
    tracing: z
      .strictObject({
        enabled: z.boolean().optional().describe('false: the steps of its code are not traced'),
        hide_inputs: z
          .boolean()
          .optional()
          .describe('true: traces have no inputs; unset: true for a private agent and for one with secrets'),
        hide_outputs: z
          .boolean()
          .optional()
          .describe('true: traces have no outputs; unset: true for a private agent and for one with secrets'),
      })
      .optional()
      .describe(
        'What traces have of it. Inputs and outputs of a private agent, and of one with secrets, are hidden unless it says false',
      ),
    secrets: listOf(environmentName, 100)
      .optional()
      .describe('Names of secrets (svc secret set), each of them a variable in the container'),
    env_vars: environment
      .optional()
      .describe('Environment variables, without secrets: everybody who can edit the agent can read them'),
    egress: listOf(z.string().refine(isDestination, destinationRule), 100)
      .optional()
      .describe('The only outside destinations of the container, each host:port; unset: as the organisation sets it'),
  })
  .superRefine(({ secrets = [], env_vars = {} }, context) => {
    for (const [index, secret] of secrets.entries()) {
      if (Object.hasOwn(env_vars, secret))
        context.addIssue({
          code: 'custom',
          path: ['secrets', index],
          message: 'is also in `deploy.env_vars`',
          params: { finding: 'duplicate_entry' },
        });
    }
  });

export const agentConfig = z
  .strictObject({
    name: name.describe('The name of the agent, unique in the organisation'),
    version: version.describe('MAJOR.MINOR.PATCH. Once approved or deployed, the content under a version is final'),
    description: text.optional().describe('The work of the agent, for people who search for it'),
    team: name.describe('The registered team that the agent belongs to'),
    owner: email.optional().describe('E-mail address of the owner; unset: the user of the first push'),
    tags: listOf(tag, 50).optional().describe('Words for the search'),
    framework: z.enum(frameworkNames).describe('The framework that the agent is written with'),
    entrypoint: z
      .string()
      .refine((entrypoint) => parseEntrypoint(entrypoint) !== undefined, entrypointRule)
      .optional()
      .describe('Where the agent is: <path>.py:<name>. Unset: agent.py exports it under the name of its framework'),
    model: z
      .strictObject({
        primary: modelId.optional().describe('The model the agent calls'),
        fallback: modelId.optional().describe('Called when the primary fails'),
        temperature: z.number().min(0).max(2).optional().describe('The randomness of an answer, from 0 to 2'),
        max_tokens: z.int().min(1).max(10_000_000).optional().describe('The longest answer'),
        gateway: z.enum(gatewayNames).optional().describe("The service's model gateway, under any of its names"),
      })
      .refine(({ primary, fallback }) => fallback === undefined || primary !== undefined, {
        error: 'needs `model.primary`',
        path: ['fallback'],
      })
      .optional()
      .describe('The model and its fallback'),
    tools: listOf(z.union([toolRef.text, tool, inlineTool]), 100)
      .optional()
      .describe('Registry references (tools/<name>), or tools of your own code, declared for documentation'),
    subagents: listOf(z.union([refToAgent.text, refToAgent.map]), 100)
      .optional()
      .describe('Agents this one calls: agents/<name>, or agents/<name>@<version> for exactly that version'),
    knowledge_bases: listOf(z.union([refToKnowledge.text, refToKnowledge.map]), 100)
      .optional()
      .describe(
        'Knowledge bases and RAG indexes of the registry: kb/<name>, rag-indexes/<name>. Each is the tool search_<name>',
      ),
    mcp_servers: listOf(z.union([mcpServerRef.text, mcpServer]), 100)
      .optional()
      .describe('MCP servers of the registry: mcp/<name>'),
    skills: listOf(z.union([refToSkill.text, refToSkill.map]), 20)
      .superRefine((entries, context) => {
        const names = entries.map(({ ref }) => parseAnyRef(ref)?.name);
        for (const [index, one] of names.entries())
          if (names.indexOf(one) !== index)
            context.addIssue({ code: 'custom', path: [index], message: `names skills/${one} a second time` });
      })
      .optional()
      .describe(
        'Skills of the registry: skills/<name>, or skills/<name>@<version>. Their files are in the container, below SVC_SKILLS_DIR',
      ),
    prompts: z
      .record(promptKey, z.union([refToPrompt.text, refToPrompt.map]))
      .refine((prompts) => Object.keys(prompts).length <= 100, 'must have at most 100 entries')
      .optional()
      .describe(
        'Prompts of the registry by the name that the agent reads them by: <key>: prompts/<name>, with @<version> or @<label> or neither',
      ),
    memory: z
      .union([memoryConfigRef.text, memoryConfigRef.map])
      .optional()
      .describe('A memory config of the registry: memory-configs/<name>'),
    files: listOf(mediaRange, 20)
      .optional()
      .describe(
        'Media types of the files that a message may carry, such as image/png or text/*; []: none. Unset: files are not checked, and people cannot attach any',
      ),
    guardrails: guardrailList.optional().describe('Checks of the input and the output of a model'),
    access: z
      .strictObject({
        visibility: z
          .enum([...visibilities, 'public'])
          .optional()
          .describe('Who may read it; unset: org'),
        allowed_callers: listOf(
          z.string().refine((caller) => parsePrincipal(caller)?.kind === 'team', 'must be team:<team name>'),
          100,
        )
          .optional()
          .describe('Only these teams may call it, and only with `use` on it'),
        may_answer: listOf(z.string().refine(isAnswerer, 'must be team:<team name>, user:<e-mail> or role:<role>'), 100)
          .optional()
          .describe(
            'Who may answer a run that waits for a person, beside its caller: team:<name>, user:<e-mail>, or role:<role> in its team. They read what it asks',
          ),
        require_approval: z.boolean().optional().describe('true: admins also need an approval. false has no effect'),
        approvals_required: z
          .int()
          .min(1)
          .max(10)
          .optional()
          .describe('How many admins must approve a version; it can only raise the number of the organisation'),
      })
      .optional()
      .describe('Restricts who may see, call and deploy it; it never allows more'),
    deploy: deploy.optional().describe('Where and how it runs'),
  })
  .superRefine(({ knowledge_bases = [] }, context) => {
    const names = knowledge_bases.map(({ ref }) => parseRef(ref)?.name);
    for (const [index, searched] of names.entries())
      if (names.indexOf(searched) < index)
        context.addIssue({
          code: 'custom',
          path: ['knowledge_bases', index],
          message: `is the second one for the tool ${searchTool(searched ?? '')}`,
          params: { finding: 'duplicate_entry' },
        });
  })
  .superRefine(({ guardrails, model }, context) => {
    if (model?.primary !== undefined) return;
    for (const index of withoutModel(guardrails))
      context.addIssue({
        code: 'custom',
        path: ['guardrails', index],
        message: 'asks a model: it needs `model.primary` or its option `model`',
      });
  });
export type AgentConfig = z.output<typeof agentConfig>;
