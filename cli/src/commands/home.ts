import type { Home } from '@gantry/contract/telling/home.ts';
import { agent_columns, agentRow, no_agents } from '../agent/agent-row.ts';
import { describeCap } from '../agent/describe-cost.ts';
import { defineCommand } from '../command.ts';
import { holderOf } from '../keys/describe-key.ts';
import type { Next } from '../result.ts';
import { count } from '../view/count.ts';
import { faint, line, prose, strong, table, time, type Cell } from '../view/view.ts';

export const command = defineCommand({
  words: 'home',
  summary: 'What needs you, and the deployed agents: first those that need attention',
  needs: 'home.read',
  examples: ['svc home', 'svc home --team ml --json'],
  arguments: {},
  flags: {},
  async run(_, session) {
    const { team } = session.globals;
    const home = await session.call('home.show', { query: team === undefined ? {} : { team } });
    const needs = linesOf(home);
    return {
      data: home,
      view: [
        table(
          ['', 'what', 'when', prose('detail')],
          needs.map(({ about, what, at, detail }) => [strong(about), what, at, detail]),
          'Nothing needs you.',
        ),
        ...(home.requests.count > home.requests.items.length
          ? [line(faint(`${count(home.requests.count, 'request')} in all for your decision`))]
          : []),
        ...(home.unread === 0
          ? []
          : [line(`${count(home.unread, 'unread notification')}  `, faint('svc notifications'))]),
        table(
          [...agent_columns, 'cost today', prose('needs attention')],
          home.agents.map((agent) => [
            ...agentRow(agent),
            agent.cost === null ? null : `$${agent.cost.today_usd}`,
            agent.attention.map(({ detail }) => detail).join(' '),
          ]),
          home.undeployed === 0 ? no_agents : 'No agent is deployed.',
        ),
        ...(home.undeployed === 0
          ? []
          : [line(faint(`${home.undeployed} not deployed  svc list --state not_deployed`))]),
      ],
      next: nextFor(home),
    };
  },
});

interface Need {
  about: string;
  what: Cell;
  at: Cell;
  detail: string;
}

function linesOf({
  requests,
  waiting_runs,
  waiting_calls,
  rejected,
  own,
  to_deploy,
  failed_deployments,
  keys,
  budgets,
}: Home): Need[] {
  return [
    ...requests.items.map(({ asset, asset_version, submitted_by, submitted_at, message }) => ({
      about: 'to decide',
      what: `${asset}@${asset_version}`,
      at: time(submitted_at),
      detail: `${submitted_by}: ${message}`,
    })),
    ...waiting_runs.map(({ agent, thread, thread_id, caller, is_own, waiting_since }) => ({
      about: 'to answer',
      what: agent,
      at: time(waiting_since),
      detail: `${is_own ? 'your run' : `a run of ${caller}`} waits: svc answer ${agent.replace('agents/', '')} ${thread_id ?? thread}`,
    })),
    ...waiting_calls.map(({ id, server, tool, agent, caller, is_own, asked_at }) => ({
      about: 'to decide',
      what: server,
      at: time(asked_at),
      detail: `${agent === null ? caller : `${agent} for ${is_own ? 'you' : caller}`} asks to call ${tool}: svc answer ${id}`,
    })),
    ...rejected.map(({ asset, asset_version, decided_at, decided_by, reason }) => ({
      about: 'rejected',
      what: `${asset}@${asset_version}`,
      at: time(decided_at),
      detail: `${decided_by ?? 'the service'}: ${reason ?? ''}`,
    })),
    ...to_deploy.map(({ asset, asset_version, decided_at, decided_by }) => ({
      about: 'to deploy',
      what: `${asset}@${asset_version}`,
      at: time(decided_at),
      detail: `approved by ${decided_by ?? 'an admin'}`,
    })),
    ...failed_deployments.map(({ operation, ref, ended_at, actor, problem }) => ({
      about: `${operation} failed`,
      what: ref,
      at: time(ended_at),
      detail: `${actor}: ${typeof problem?.['detail'] === 'string' ? problem['detail'] : ''}`,
    })),
    ...keys.map((key) => ({
      about: key.state === 'waiting' ? 'key to claim' : 'key expires',
      what: `${key.prefix}…`,
      at: time(key.expires_at),
      detail: `works for ${holderOf(key)}`,
    })),
    ...budgets.map((near) => ({
      about: 'budget',
      what: near.of,
      at: time(near.ends_at),
      detail: describeCap(near),
    })),
    ...own.map(({ asset, asset_version, status, submitted_at, decided_at, decided_by, can_decide }) => ({
      about: status === 'pending' ? 'you asked' : 'approved',
      what: `${asset}@${asset_version}`,
      at: time(decided_at ?? submitted_at),
      detail:
        status === 'pending'
          ? `can decide: ${can_decide.join(', ') || 'nobody yet'}`
          : `by ${decided_by ?? 'an admin'}`,
    })),
  ];
}

function nextFor({ requests, rejected, to_deploy, failed_deployments, keys, agents, undeployed }: Home): Next[] {
  const [request] = requests.items;
  const [refused] = rejected;
  const [failed] = failed_deployments;
  return [
    ...(request === undefined ? [] : [{ command: `svc review show ${request.id}`, when: 'to see its changes' }]),
    ...(refused === undefined ? [] : [{ command: `svc review show ${refused.id}`, when: 'to see the whole decision' }]),
    ...to_deploy
      .slice(0, 1)
      .map((one) => ({ command: `svc deploy ${one.asset}@${one.asset_version}`, when: 'to deploy it' })),
    ...(failed === undefined ? [] : [{ command: `svc deployments show ${failed.id}`, when: 'to see why it failed' }]),
    ...(keys.some((key) => key.state === 'waiting') ? [{ command: 'svc key claim', when: 'to take your keys' }] : []),
    ...(agents.length === 0 && undeployed === 0
      ? [{ command: 'svc init greeter --framework langgraph', when: 'to make the first agent' }]
      : []),
  ];
}
