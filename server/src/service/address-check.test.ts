import { afterAll, beforeAll, expect, test } from 'vitest';
import { testApp, type TestApp } from '../testing/test-app.ts';
import { addressCheck } from './address-check.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
});
afterAll(async () => await app?.stop());

const look = async (base_url: string) => await addressCheck(app.db, () => base_url).look(AbortSignal.timeout(10_000));

test('the doctor asks for https where an MCP server is called for its end callers', async () => {
  const ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  expect(await look('http://gantry.example.com')).toMatchObject({ verdict: 'ok' });
  const config = { transport: 'streamable-http', url: 'https://mail.example.com/mcp' } as const;
  for (const [name, as] of [
    ['mails', 'user'],
    ['crm', 'delegate'],
  ] as const)
    await ada.client.call('registry.create', {
      params: { kind: 'mcp-server' },
      body: { name, team: 'ml', config: { ...config, as } },
    });
  await ada.client.call('registry.create', {
    params: { kind: 'mcp-server' },
    body: { name: 'plain', team: 'ml', config },
  });
  const found = await look('http://gantry.example.com');
  expect(found).toMatchObject({ verdict: 'warning', detail: expect.stringMatching(/: crm, mails$/) as string });
  for (const fine of [
    'https://gantry.example.com',
    'http://localhost:8080',
    'http://127.0.0.1:8080',
    'http://[::1]:8080',
  ])
    expect([fine, await look(fine)]).toMatchObject([fine, { verdict: 'ok' }]);
});
