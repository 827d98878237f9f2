// What a coding agent does for its person. Must never be here: an approval, a secret value, a key, a grant, a membership, or a setting of the organisation.
// A person decides those, and control.test.ts walks the list.
import { z } from 'zod';
import { assetKinds } from '@gantry/contract/roles.ts';
import { name, text, versionRef } from '@gantry/contract/wire.ts';
import { bodyFor } from '../describe-tool.ts';
import { confirmed, controlTool, requireConfirmation, type ControlTool } from './control-tool.ts';
import { recentLines } from './recent-lines.ts';

const page = {
  limit: z.int().min(1).max(100).default(20),
  cursor: z.string().optional().describe('`next_cursor` of the page before'),
};
const target = z.string().optional().describe('where it runs; without it, as its version says');
const agent = z.object({ name });
const ofRef = z.object({ ref: versionRef.describe('agents/<name>@<version>'), target });

export const controlTools: readonly ControlTool[] = [
  controlTool({
    name: 'list_agents',
    description: 'The agents that you may read, with their state',
    calls: ['agents.statuses'],
    acts: 'reads',
    input: z.object({ ...page, text: z.string().optional().describe('words to search for') }),
    run: async (client, query) => await client.call('agents.statuses', { query }),
  }),
  controlTool({
    name: 'show_agent',
    description: 'One agent: its state, address, version, cost, and what needs attention',
    calls: ['agents.status'],
    acts: 'reads',
    input: agent,
    run: async (client, params) => await client.call('agents.status', { params }),
  }),
  controlTool({
    name: 'search_registry',
    description: 'Assets of the registry: agents, MCP servers, models, prompts and others',
    calls: ['registry.search'],
    acts: 'reads',
    input: z.object({ ...page, q: z.string().optional(), kind: z.enum(assetKinds).optional() }),
    run: async (client, query) => await client.call('registry.search', { query }),
  }),
  controlTool({
    name: 'read_logs',
    description: 'The last lines that an agent has written',
    calls: ['agents.logs'],
    acts: 'reads',
    input: z.object({
      name,
      tail: z.int().min(1).max(1000).default(100),
      text: z.string().optional().describe('only lines with this text'),
      request: z.string().optional().describe('only lines of this run or trace'),
    }),
    run: async (client, { name: of, ...query }, signal) => {
      const lines = await client.call('agents.logs', { params: { name: of }, query }, { signal });
      return await recentLines(lines);
    },
  }),
  controlTool({
    name: 'list_runs',
    description: 'The ended runs of an agent in the last 7 days',
    calls: ['traces.runs'],
    acts: 'reads',
    input: z.object({ name, ...page }),
    run: async (client, { name: of, ...query }) => await client.call('traces.runs', { params: { name: of }, query }),
  }),
  controlTool({
    name: 'list_traces',
    description: 'Calls to agents and deploys, the newest first',
    calls: ['traces.list'],
    acts: 'reads',
    input: z.object({ agent: name.optional(), status: z.enum(['ok', 'error']).optional(), ...page }),
    run: async (client, query) => await client.call('traces.list', { query }),
  }),
  controlTool({
    name: 'show_trace',
    description: 'The spans of one trace',
    calls: ['traces.show'],
    acts: 'reads',
    input: z.object({ id: z.string() }),
    run: async (client, params) => await client.call('traces.show', { params }),
  }),
  controlTool({
    name: 'list_inbox',
    description: 'The runs that wait for an answer of yours. You answer them yourself: svc inbox',
    calls: ['inbox.list'],
    acts: 'reads',
    input: z.object(page),
    run: async (client, query) => await client.call('inbox.list', { query }),
  }),
  controlTool({
    name: 'plan_deploy',
    description: 'Every check and every change of a deploy, without deploying',
    calls: ['deployments.plan'],
    acts: 'reads',
    input: ofRef,
    run: async (client, body) => await client.call('deployments.plan', { body }),
  }),
  controlTool({
    name: 'deploy',
    description: 'Deploy a version that is in the registry. It needs an approval where the organisation wants one',
    calls: ['deployments.create'],
    acts: 'changes',
    input: ofRef,
    run: async (client, body) => await client.call('deployments.create', { body }),
  }),
  controlTool({
    name: 'show_deploy',
    description: 'A deploy with its steps, by its id',
    calls: ['deployments.show'],
    acts: 'reads',
    input: z.object({ id: z.uuid() }),
    run: async (client, params) => await client.call('deployments.show', { params }),
  }),
  controlTool({
    name: 'ask_for_approval',
    description: 'Ask the admins for the approval of a version. A person decides',
    calls: ['approvals.submit'],
    acts: 'changes',
    input: z.object({
      asset: z.string().describe('agents/<name>, or agents/<name>@<version>'),
      target,
      message: text.describe('what has changed, and why'),
    }),
    run: async (client, body) => await client.call('approvals.submit', { body }),
  }),
  controlTool({
    name: 'invoke_agent',
    description: 'Call an agent: a `message` for one that takes a text, else its `input`',
    calls: ['invoke.input', 'invoke.call'],
    acts: 'changes',
    input: z.object({
      name,
      message: z.string().optional(),
      input: z.record(z.string(), z.unknown()).optional(),
      thread_id: z.string().optional().describe('continues this conversation'),
    }),
    run: async (client, { name: of, ...given }, signal) => {
      const described = await client.call('invoke.input', { params: { name: of } });
      const said = bodyFor({ name: of, description: '', ...described }, given);
      const body = Buffer.from(JSON.stringify(said));
      const answered = await client.call('invoke.call', { params: { name: of }, body }, { signal });
      return await answered.json();
    },
  }),
  controlTool({
    name: 'stop_agent',
    description: 'Stop an agent: its calls are refused from then on',
    calls: ['agents.stop'],
    acts: 'destroys',
    input: z.object({ ...confirmed, target }),
    run: async (client, { confirm, name: of, target: on }) => {
      requireConfirmation({ name: of, confirm });
      return await client.call('agents.stop', { params: { name: of }, query: { target: on } });
    },
  }),
  controlTool({
    name: 'roll_back_agent',
    description: 'Return an agent to a version that has run before',
    calls: ['agents.rollback'],
    acts: 'destroys',
    input: z.object({ ...confirmed, to: z.string().optional().describe('the version'), reason: z.string().optional() }),
    run: async (client, { confirm, name: of, ...body }) => {
      requireConfirmation({ name: of, confirm });
      return await client.call('agents.rollback', { params: { name: of }, body });
    },
  }),
  controlTool({
    name: 'remove_agent',
    description: 'Stop an agent and remove it from the registry',
    calls: ['agents.delete'],
    acts: 'destroys',
    input: z.object(confirmed),
    run: async (client, { confirm, name: of }) => {
      requireConfirmation({ name: of, confirm });
      await client.call('agents.delete', { params: { name: of } });
      return { removed: of };
    },
  }),
];
