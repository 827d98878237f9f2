import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { signInProviders, type ProviderName } from './sign-in-providers.ts';
import { requiredGuardrails } from '../guardrails/required.ts';
import { registryAddress } from '../assets/outside-registry.ts';
import { most_message_mb } from '../agents/files/taken-files.ts';

// Typed as their names, which the object has.
const provider_names = Object.keys(signInProviders) as [ProviderName];

/** As a browser sends it. */
const origin = z
  .string()
  .max(300)
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text,
    'must be an origin such as https://chat.example.com, without a path',
  );

/** The organisation's settings. The server's settings file uses the same names. */
export const orgSettings = z.strictObject({
  auth_provider: z
    .enum(provider_names, `only \`${provider_names.join(', ')}\` works so far`)
    .describe('how users sign in'),
  require_approval_for_admins: z.boolean().describe('admins need an approval before a deploy, like all other users'),
  enforce_password_change: z
    .boolean()
    .describe('true: a required password change precedes every other action; false: clients only ask for it'),
  approvals_required: z.int().min(1).max(10).describe('how many admins must approve a version'),
  approval_expires_after_days: z
    .int()
    .min(1)
    .max(3650)
    .nullable()
    .describe('how long a request waits for a decision; null: without a limit'),
  agent_egress: z
    .enum(['open', 'listed', 'gateway_only'])
    .describe(
      'what new containers of agents reach besides the model gateway: open (the internet), listed (deploy.egress of agent.yaml), gateway_only (nothing)',
    ),
  required_guardrails: requiredGuardrails.describe(
    'guardrails of all agents and keys of teams, beside those of an agent.yaml: a list of {name, options, teams}',
  ),
  reveal_gateway_keys: z.boolean().describe('platform admins may see the value of a gateway key again, on record'),
  hide_trace_inputs: z.boolean().describe('true: traces of agents have no inputs, whatever their files say'),
  hide_trace_outputs: z.boolean().describe('true: traces of agents have no outputs, whatever their files say'),
  memory_kept_days: z
    .int()
    .min(1)
    .max(3650)
    .nullable()
    .describe('how long threads and items of agents are kept after their last use; null: without a limit'),
  admins_read_threads: z
    .boolean()
    .describe('admins of an agent may read the threads that others have with it; each look is on record'),
  share_threads_days: z
    .int()
    .min(0)
    .max(365)
    .describe(
      'how many days a new share of a conversation lasts at most; 0: nobody shares, and no share opens any more',
    ),
  message_file_mb: z
    .int()
    .min(1)
    .max(most_message_mb)
    .describe('the size in MB of the largest file in a message to an agent whose agent.yaml has `files`'),
  tool_arguments_kb: z.int().min(1).max(512).describe('the most kB of the arguments of a call of a tool'),
  tool_result_kb: z.int().min(1).max(3072).describe('the most kB of the result of a call of a tool'),
  tool_call_seconds: z
    .int()
    .min(1)
    .max(600)
    .describe('how long a call of a tool may take; one that reports progress may take ten minutes'),
  tool_calls_at_once: z
    .int()
    .min(1)
    .max(1000)
    .describe('how many calls of tools one agent may have under way, in all processes of the service'),
  knowledge_base_documents: z
    .int()
    .min(1)
    .max(20_000)
    .describe('the most documents of a knowledge base; a refresh that finds more fails'),
  knowledge_base_mb: z.int().min(1).max(2048).describe('the most MB of the uploaded files of a knowledge base'),
  approve_outgoing_after: z
    .enum(['never', 'private_data', 'outside_text', 'both'])
    .describe(
      'when a run of an agent has read this, its calls of tools that send something out wait for a person; both: when it has read private data and text that others wrote',
    ),
  mcp_registry: registryAddress
    .nullable()
    .describe('the address of the MCP registry that `svc mcp import` reads without --from; null: none'),
  waiting_runs_told_after_minutes: z
    .int()
    .min(0)
    .max(7 * 24 * 60)
    .nullable()
    .describe('how long a run waits for a person before those who may answer are told of it; null: nobody is told'),
  browser_origins: z
    .array(origin)
    .max(100)
    .describe(
      "the sites whose pages may call agents in langgraph's API from a browser, such as https://chat.example.com",
    ),
});
export type OrgSettings = z.output<typeof orgSettings>;
export type OrgSetting = keyof OrgSettings;

/** As `svc org set` takes it. */
export function printSetting(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export const org = z.object({
  settings: orgSettings,
  file: z.string().nullable().describe('the settings file of this server, where it has one'),
  set_in_file: z.array(z.string()).describe('the settings that only this file can change'),
});

export const verdicts = ['met', 'not_met', 'unknown'] as const;

/** One line of the self-hosted checklist (spec, Authentication 11). */
export const orgCheck = z.object({
  name: z.string(),
  verdict: z.enum(verdicts),
  detail: z.string(),
  hint: z.string().nullable(),
});

export const orgEndpoints = {
  'org.show': {
    method: 'GET',
    path: '/api/v1/org',
    summary: "The organisation's settings",
    operation: 'org.read',
    reply: { kind: 'data', status: 200, schema: org },
    problems: [],
  },
  'org.set': {
    method: 'PUT',
    path: '/api/v1/org',
    summary: 'Change settings; absent ones stay unchanged',
    operation: 'org.change',
    body: orgSettings.partial(),
    reply: { kind: 'data', status: 200, schema: org.extend({ notices: z.array(z.string()) }) },
    problems: [],
  },
  'org.check': {
    method: 'GET',
    path: '/api/v1/org/check',
    summary: 'The checklist for a self-hosted installation, with a verdict per line',
    operation: 'org.check',
    reply: { kind: 'data', status: 200, schema: z.object({ lines: z.array(orgCheck) }) },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
