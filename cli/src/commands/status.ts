import type { AgentEvent, AgentEventKind } from '@gantry/contract/agents/agent-events.ts';
import type { AgentStatus } from '@gantry/contract/agents/deploy.ts';
import { mcpAddress } from '@gantry/contract/agents/mcp-address.ts';
import { awaitedBy, describeUpcoming } from '@gantry/contract/agents/upcoming.ts';
import type { AgentFigures } from '@gantry/contract/models/traces.ts';
import { optionalAgent, suggestAgent } from '../agent/agent-name.ts';
import { agent_columns, agentRow, no_agents } from '../agent/agent-row.ts';
import { describeCost } from '../agent/describe-cost.ts';
import { oldSecrets } from '../agent/old-secrets.ts';
import { defineCommand, toggle } from '../command.ts';
import { limitFlag, takePages } from '../pages.ts';
import type { Next, Result } from '../result.ts';
import { reachInWords } from '../review/describe-reach.ts';
import type { Session } from '../session/session.ts';
import { printMs } from '../trace/describe-trace.ts';
import { count } from '../view/count.ts';
import { faint, fields, line, prose, state, table, time, warn, type View } from '../view/view.ts';

export const command = defineCommand({
  words: 'status',
  summary: 'The state of your agents, or of one in detail',
  needs: 'deployment.read',
  examples: ['svc status', 'svc status greeter --json', 'svc status greeter --events', 'svc status greeter --figures'],
  arguments: { name: optionalAgent('The agent: <name> or agents/<name> (default: all)') },
  flags: {
    limit: limitFlag,
    figures: toggle('Its calls, errors, latency and cost over the last 24 hours instead'),
    events: toggle('What the service did with its containers by itself instead, newest first'),
  },
  run: async ({ name, limit, figures, events }, session) => {
    if (name === undefined) return await showAll(session, limit);
    if (events) return await showEvents(session, name, limit);
    return figures ? await showFigures(session, name) : await showOne(session, name);
  },
});

async function showAll(session: Session, limit: number | undefined): Promise<Result> {
  const agents = await takePages(session, limit, (query) => session.call('agents.statuses', { query }));
  return {
    data: agents,
    view: [
      table(
        [...agent_columns, prose('detail')],
        agents.map((agent) => [...agentRow(agent), agent.detail]),
        no_agents,
      ),
    ],
    next:
      agents.length === 0
        ? [{ command: 'svc init greeter --framework langgraph', when: 'to make the first agent' }]
        : [],
  };
}

async function showOne(session: Session, name: string): Promise<Result> {
  const agent = await suggestAgent(session, name, () => session.call('agents.status', { params: { name } }));
  const { items: events } = await session.call('agents.events', { params: { name }, query: { limit: last_events } });
  const timeline = events.length === 0 ? [] : [tableOfEvents(events)];
  const old = await oldSecrets(session, agent);
  const stale = old.map((secret) =>
    line(warn('old value  '), `its containers have the value of ${secret} from before the last change`),
  );
  const next =
    old.length === 0
      ? []
      : [{ command: `svc restart ${name}`, when: 'to give them the present values; no call fails' }];
  return {
    data: { ...agent, events, old_secrets: old },
    view: [...describeAgent(agent), ...stale, ...timeline],
    next: [...nextFor(agent), ...next],
  };
}

const last_events = 4;

async function showEvents(session: Session, name: string, limit: number | undefined): Promise<Result> {
  const events = await suggestAgent(session, name, () =>
    takePages(session, limit, (query) => session.call('agents.events', { params: { name }, query })),
  );
  return { data: events, view: [tableOfEvents(events)] };
}

function tableOfEvents(events: readonly AgentEvent[]): View[number] {
  return table(
    ['when', 'what', 'container', prose('detail')],
    events.map(({ at, kind, instance, detail }) => [time(at), words[kind], instance ?? '', detail]),
    'The service has done nothing with its containers by itself.',
  );
}

const words: Record<AgentEventKind, string> = {
  started: 'started',
  start_failed: 'start failed',
  ended: 'ended',
  rebuilding: 'rebuilding',
  rebuilt: 'rebuilt',
  scaled_up: 'scaled up',
  scaled_down: 'scaled down',
  no_room: 'no room',
  slept: 'fell asleep',
  woke: 'woke',
  crashing: 'crashes',
  steady: 'steady again',
};

async function showFigures(session: Session, name: string): Promise<Result> {
  const figures = await suggestAgent(session, name, () => session.call('traces.figures', { params: { name } }));
  return { data: figures, view: [tableOf(figures)] };
}

function tableOf({ since, step_seconds, steps }: AgentFigures): View[number] {
  const rows = steps.map((step, n) => ({ ...step, at: new Date(Date.parse(since) + n * step_seconds * 1000) }));
  return table(
    ['from', 'calls', 'errors', 'p50 ms', 'p95 ms', 'cost'],
    rows
      .filter(({ calls, usd }) => calls > 0 || Number(usd) > 0)
      .map(({ at, calls, errors, p50_ms, p95_ms, usd }) => [
        time(at.toISOString()),
        calls,
        errors,
        p50_ms,
        p95_ms,
        usd,
      ]),
    'No calls in the last 24 hours.',
  );
}

export function describeAgent(agent: AgentStatus): View {
  return [
    line(
      { text: agent.name, style: 'strong' },
      '  ',
      state(agent.state),
      agent.detail === '' ? '' : `  ${agent.detail}`,
    ),
    ...agent.attention
      .filter(({ kind }) => kind !== agent.state)
      .map(({ detail }) => line(warn('needs attention  '), detail)),
    fields({
      Version: agent.ref === null ? null : `${agent.ref}  ${agent.digest ?? ''}`,
      'Latest version': agent.latest_version,
      'On its way': agent.upcoming === null ? null : describeUpcoming(agent.upcoming),
      Team: agent.team,
      Endpoint: agent.endpoint === null ? null : { text: agent.endpoint, style: 'link' },
      MCP: agent.endpoint === null ? null : { text: mcpAddress(agent.endpoint), style: 'link' },
      Target: agent.target,
      'Also on': alsoOn(agent),
      Deployed:
        agent.deployed_at === null ? null : [time(agent.deployed_at), ` by ${agent.deployed_by ?? 'the service'}`],
      Revision: agent.revision,
      'Rolled back': agent.rolled_back === null ? null : warn(describeRollback(agent.rolled_back)),
      Restarts:
        agent.restarts === 0
          ? null
          : [warn(String(agent.restarts)), agent.last_exit === null ? '' : `  ${agent.last_exit}`],
      'In flight': agent.in_flight,
      Containers: agent.instances.length > 1 ? `${agent.instances.length}` : null,
      'No room': agent.no_room === null ? null : warn(agent.no_room),
      Cost: describeCost(agent.cost),
      Reaches: agent.reach === null ? null : reachInWords(agent.reach),
      'Last 24 h': describeCalls(agent.last_24h),
      Draining: agent.draining.length === 0 ? null : agent.draining.join(', '),
    }),
    ...agent.not_in_effect.map((field) => line(faint('not in effect  '), field)),
    ...(agent.outside_setting === null ? [] : [line(warn('outside the setting  '), agent.outside_setting)]),
    ...agent.refused_egress.map(({ destination, reason, count }) =>
      line(warn('refused  '), `${destination} ${reason}`, faint(count === 1 ? '' : `  ${count} times`)),
    ),
  ];
}

function describeRollback({ from, to, by, reason }: NonNullable<AgentStatus['rolled_back']>): string {
  return `from ${from} to ${to} by ${by}${reason === null ? '' : `: ${reason}`}`;
}

function alsoOn({ targets }: AgentStatus): string | undefined {
  const others = targets.filter(({ is_default }) => !is_default);
  return others.length === 0 ? undefined : others.map((one) => `${one.target} ${one.version} ${one.state}`).join(', ');
}

function describeCalls({ calls, errors, blocked, p50_ms, p95_ms }: AgentStatus['last_24h']): string | undefined {
  if (calls === 0 || p50_ms === null || p95_ms === null) return undefined;
  const said = [count(calls, 'call'), count(errors, 'error')];
  if (blocked > 0) said.push(`${blocked} blocked by a guardrail`);
  return `${said.join(', ')}, counted every 10 s; half within about ${printMs(p50_ms)}, 95 % within ${printMs(p95_ms)}`;
}

function nextFor(agent: AgentStatus): Next[] {
  if (agent.state === 'failed') return [{ command: `svc logs ${agent.name}`, when: 'to see why' }];
  if (agent.state === 'stopped') return [{ command: `svc start ${agent.name}`, when: 'to start it again' }];
  const submits = agent.upcoming !== null && awaitedBy(agent.upcoming) === 'request';
  if (submits && agent.can?.['deployments.create']?.allowed === false)
    return [
      { command: `svc submit --asset agents/${agent.name}`, when: 'to request the approval of its newest version' },
    ];
  if (agent.state === 'not_deployed' && agent.latest_version !== null)
    return [{ command: `svc deploy agents/${agent.name}@${agent.latest_version}`, when: 'to deploy it' }];
  return [];
}
