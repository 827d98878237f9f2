// Keys at the command line: what is sent of a pasted key, and what a sign-in says about the keys that wait.
import type { GatewayKey } from '@gantry/contract/models/keys.ts';
import { expect, test } from 'vitest';
import { contributor } from '../testing/answers.ts';
import { freshHome, runSvc } from '../testing/run-svc.ts';
import { data, list, scriptService } from '../testing/scripted-service.ts';

const id = '0199a1b2-0000-7000-8000-000000000001';
const value = `gtk_${'Zk3vQ1Lx'.repeat(6)}`;
const key: GatewayKey = {
  id,
  alias: 'user:ada@example.com',
  prefix: value.slice(0, 12),
  scope: 'user',
  scope_name: 'ada@example.com',
  team: 'ml',
  models: ['small'],
  limits: {
    daily_usd: '5.00',
    weekly_usd: null,
    monthly_usd: null,
    requests_per_minute: 60,
    tokens_per_minute: null,
  },
  tags: ['team:ml'],
  state: 'active',
  issued: true,
  created_by: 'max@example.com',
  created_at: '2026-01-31T11:00:00Z',
  expires_at: null,
};

test('of a pasted key only the first 12 characters leave the machine', async () => {
  const costs = {
    since: '',
    until: '',
    by: ['key'],
    usd: '1.50',
    calls: 3,
    rows: [{ of: { key: key.prefix }, usd: '1.50' }],
  };
  await using service = await scriptService({ 'GET /api/v1/rbac/keys': list([key]), 'GET /api/v1/costs': data(costs) });
  const env = { SERVICE_URL: service.url, SERVICE_API_TOKEN: 'token' };
  const { stdout } = await runSvc(['key', 'show', value], { home: freshHome(), env });
  expect(stdout).toContain('$5.00 a day, 60 calls a minute');
  expect(stdout).toMatch(/Spent +\$1\.50 in the last 30 days/);
  expect(service.asked.map(({ query }) => query)).toEqual([`?key=${key.prefix}&all=true`, '?by=key']);
});

test('a sign-in names the keys that wait, and a claim prints the key with the address and a call', async () => {
  const waiting_keys = [{ id, team: 'ml', prefix: key.prefix }];
  const me = { ...contributor, kind: 'user', allowed_assets: null, email: key.scope_name };
  await using service = await scriptService({
    'POST /api/v1/auth/login': data({
      access_token: 'token',
      token_type: 'bearer',
      must_change_password: false,
      expires_at: '2030-01-01T00:00:00Z',
      waiting_keys,
    }),
    'GET /api/v1/auth/me': data(me),
    'GET /api/v1/rbac/keys': list([{ ...key, state: 'waiting' }]),
    [`POST /api/v1/rbac/keys/${id}/claim`]: data({ ...key, key: value }),
  });
  const at = { home: freshHome(), env: { SERVICE_URL: service.url } };
  const signedIn = await runSvc(
    ['login', '--email', key.scope_name, '--password', 'secret words', '--store', 'file'],
    at,
  );
  expect(signedIn.stdout + signedIn.stderr).toContain(`The key ${key.prefix}… of team ml waits for you`);
  expect(signedIn.stdout + signedIn.stderr).toContain('svc key claim');
  const claimed = await runSvc(['key', 'claim'], at);
  expect(claimed.stdout).toContain(value);
  expect(claimed.stdout).toContain(`${service.url}/v1`);
  expect(claimed.stdout).toContain('"model": "small"');
});
