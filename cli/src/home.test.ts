import { expect, test } from 'vitest';
import { freshHome, runSvc } from './testing/run-svc.ts';
import { data, scriptService } from './testing/scripted-service.ts';

const nothing = {
  rejected: [],
  own: [],
  to_deploy: [],
  failed_deployments: [],
  keys: [],
  waiting_runs: [],
  waiting_calls: [],
  budgets: [],
  unread: 0,
  agents: [],
};
const path = 'GET /api/v1/home';

test('svc home says what needs the caller and the command for it, and asks for one team with --team', async () => {
  const id = '64eee2ec-d29e-4c58-a19a-366813aca57c';
  const request = {
    id,
    asset: 'agents/greeter',
    asset_version: '1.5.0',
    submitted_by: 'ada@example.com',
    message: 'kinder',
  };
  const home = {
    ...nothing,
    requests: { count: 21, items: [{ ...request, submitted_at: new Date().toISOString() }] },
    failed_deployments: [
      {
        id,
        operation: 'scale',
        ref: 'agents/echo@1.0.0',
        actor: 'ada@example.com',
        ended_at: new Date().toISOString(),
        problem: { detail: 'no memory' },
      },
    ],
    budgets: [{ of: 'team:ml', window: 'month', limit_usd: '50.00', spent_usd: '41.20', percent: 82, ends_at: null }],
    waiting_calls: [
      {
        id: '3f0c7d6e-5a53-4c1f-9d1c-6f1d3a0e6b11',
        server: 'mcp-servers/bank@1.0.0',
        tool: 'transfer',
        agent: 'agents/refunds',
        caller: 'cal@example.com',
        is_own: false,
        asked_at: '2026-10-01T08:00:00.000Z',
        expires_at: '2026-10-02T08:00:00.000Z',
      },
    ],
    waiting_runs: [
      {
        agent: 'agents/refunds',
        orchestration: null,
        thread: id,
        thread_id: 'order-12',
        caller: 'ada@example.com',
        is_own: true,
        checkpoint_id: '1',
        waiting_since: new Date().toISOString(),
      },
    ],
    unread: 2,
  };
  await using service = await scriptService({ [path]: data(home) });
  const env = { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' };
  const { exit, stdout, stderr } = await runSvc(['home', '--team', 'ml'], { home: freshHome(), env });
  expect(exit).toBe(0);
  for (const text of [
    'agents/greeter@1.5.0',
    "82 % of team:ml's month",
    '21 requests',
    '2 unread',
    'scale failed',
    'refunds',
    'svc answer 3f0c7d6e-5a53-4c1f-9d1c-6f1d3a0e6b11',
    'ada@example.com: no memory',
    `svc review show ${id}`,
  ])
    expect(stdout + stderr).toContain(text);
  expect(service.asked.map(({ query }) => query)).toContain('?team=ml');
});

test('svc home says that nothing needs the caller', async () => {
  await using service = await scriptService({ [path]: data({ ...nothing, requests: { count: 0, items: [] } }) });
  const env = { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' };
  const { exit, stdout } = await runSvc(['home'], { home: freshHome(), env });
  expect([exit, stdout]).toEqual([0, expect.stringContaining('Nothing needs you.')]);
});
