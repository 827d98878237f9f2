import type { OrgSetting, OrgSettings } from '@gantry/contract/people/org.ts';

interface Words {
  label: string;
  about: string;
  /** How its value is given. */
  form: 'yes_no' | 'number' | 'text' | 'choice' | 'json' | 'fixed';
  options?: readonly { value: string; label: string }[];
}

export const settingWords: Readonly<Record<OrgSetting, Words>> = {
  require_approval_for_admins: {
    label: 'Admins need an approval',
    about: 'Admins need an approval before a deploy, like everybody else.',
    form: 'yes_no',
  },
  approvals_required: {
    label: 'Approvals for a version',
    about: 'How many admins must approve a version before it can be deployed.',
    form: 'number',
  },
  approval_expires_after_days: {
    label: 'Days until a request expires',
    about: 'How long a request waits for a decision. Empty: without a limit.',
    form: 'number',
  },
  agent_egress: {
    label: 'Network of agents',
    about: 'What new containers of agents reach besides the model gateway.',
    form: 'choice',
    options: [
      { value: 'open', label: 'open: the internet' },
      { value: 'listed', label: 'listed: deploy.egress of agent.yaml' },
      { value: 'gateway_only', label: 'gateway only: nothing else' },
    ],
  },
  required_guardrails: {
    label: 'Required guardrails',
    about:
      'Guardrails of all agents and keys of teams, beside those of an agent.yaml: a list of {name, options, teams}.',
    form: 'json',
  },
  reveal_gateway_keys: {
    label: 'Keys can be revealed',
    about: 'Platform admins may see the value of a gateway key again. Each time is in the audit log.',
    form: 'yes_no',
  },
  hide_trace_inputs: {
    label: 'Traces without inputs',
    about: 'Traces of agents keep no inputs, whatever their files say.',
    form: 'yes_no',
  },
  hide_trace_outputs: {
    label: 'Traces without outputs',
    about: 'Traces of agents keep no outputs, whatever their files say.',
    form: 'yes_no',
  },
  memory_kept_days: {
    label: 'Days that memory of agents is kept',
    about: 'After the last use of a thread or an item. Empty: without a limit.',
    form: 'number',
  },
  admins_read_threads: {
    label: 'Admins read threads',
    about: 'Admins of an agent may read the threads that others have with it. Each look is in the audit log.',
    form: 'yes_no',
  },
  share_threads_days: {
    label: 'Days that a conversation may be shared',
    about: 'The most days of a new share of a conversation. 0: nobody shares, and no share opens any more.',
    form: 'number',
  },
  message_file_mb: {
    label: 'MB of a file in a message',
    about: 'The size of the largest file, for agents whose agent.yaml has `files`.',
    form: 'number',
  },
  tool_arguments_kb: {
    label: 'kB of arguments of a tool',
    about: 'A call of a tool with larger arguments is refused.',
    form: 'number',
  },
  tool_result_kb: {
    label: 'kB of a result of a tool',
    about: 'A larger result does not reach the agent.',
    form: 'number',
  },
  tool_call_seconds: {
    label: 'Seconds of a call of a tool',
    about: 'A call that reports progress may take ten minutes.',
    form: 'number',
  },
  tool_calls_at_once: {
    label: 'Calls of tools at once',
    about: 'How many one agent may have under way, in all processes of the service.',
    form: 'number',
  },
  knowledge_base_documents: {
    label: 'Documents of a knowledge base',
    about: 'The most. A refresh that finds more fails, and what serves stays.',
    form: 'number',
  },
  knowledge_base_mb: {
    label: 'MB of uploaded files of a knowledge base',
    about: 'The most, for all files together.',
    form: 'number',
  },
  approve_outgoing_after: {
    label: 'Outgoing calls wait for a person',
    about: 'When a run of an agent has read this, its calls of tools that send something out need an approval.',
    form: 'choice',
    options: [
      { value: 'never', label: 'never' },
      { value: 'private_data', label: 'after private data' },
      { value: 'outside_text', label: 'after text that others wrote' },
      { value: 'both', label: 'after both of them' },
    ],
  },
  mcp_registry: {
    label: 'MCP registry',
    about: 'The address from which people import MCP servers, unless they name another. Empty: none.',
    form: 'text',
  },
  waiting_runs_told_after_minutes: {
    label: 'Minutes until people are told of a waiting run',
    about: 'Those who may answer get a notification and a mail. Empty: nobody is told.',
    form: 'number',
  },
  browser_origins: {
    label: 'Sites that may call agents',
    about: 'Their pages call agents in langgraph\'s API from a browser: a list such as ["https://chat.example.com"].',
    form: 'json',
  },
  enforce_password_change: {
    label: 'Password change comes first',
    about: 'A required password change precedes every other action. Off: the pages only ask for it.',
    form: 'yes_no',
  },
  auth_provider: { label: 'Sign-in', about: 'How users sign in. Only local accounts work so far.', form: 'fixed' },
};

type Value = OrgSettings[OrgSetting];

export function shownSetting(value: Value): string {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (value === null) return 'no limit';
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : value.map((one) => (typeof one === 'string' ? one : one.name)).join(', ');
  return String(value).replaceAll('_', ' ');
}
