import { expect, test } from 'vitest';
import { freshHome, runSvc } from '../testing/run-svc.ts';
import { data, list, scriptService } from '../testing/scripted-service.ts';

const status = {
  name: 'greeter',
  ref: 'agents/greeter@1.0.0',
  team: 'ml',
  state: 'serving',
  detail: 'It answers.',
  endpoint: null,
  targets: [],
  instances: [{ id: 'a' }],
  restarts: 0,
  attention: [],
  reach: null,
  rolled_back: null,
  upcoming: null,
  no_room: null,
  last_24h: { calls: 0, errors: 0, blocked: 0, p50_ms: null, p95_ms: null },
  not_in_effect: [],
  egress: null,
  outside_setting: null,
  refused_egress: [],
  deployed_at: null,
  cost: null,
  draining: [],
};
const started = (at: string) => ({ state: 'done', steps: [{ name: 'start', started_at: at }] });

test('svc status names the secrets whose value is newer than the containers, with the restart', async () => {
  const secret = { name: 'CRM_TOKEN', used_by: ['greeter'], changed_at: '2026-01-31T12:00:00Z' };
  const deployments = [{ state: 'failed', steps: [{ name: 'start', started_at: '2026-01-31T13:00:00Z' }] }];
  const routes = {
    'GET /api/v1/agents/greeter': data(status),
    'GET /api/v1/agents/greeter/events': list([]),
    'GET /api/v1/secrets': list([secret, { ...secret, name: 'OTHER', used_by: ['another'] }]),
  };
  const run = async (at: string) => {
    const deploys = list([...deployments, started(at)]);
    await using service = await scriptService({ ...routes, 'GET /api/v1/deployments': deploys });
    const env = { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' };
    return await runSvc(['status', 'greeter'], { home: freshHome(), env });
  };
  const old = await run('2026-01-31T11:00:00Z');
  expect(old.stdout).toMatch(/old value .*CRM_TOKEN/);
  expect(old.stdout).not.toContain('OTHER');
  expect(old.stderr).toContain('next: svc restart greeter');
  expect((await run('2026-01-31T12:30:00Z')).stdout).not.toContain('old value');
});
