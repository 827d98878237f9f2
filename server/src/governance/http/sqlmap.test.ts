// sqlmap searches for text that becomes part of a statement, in filters of lists, in paths and in bodies.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let folder: string;
beforeAll(async () => {
  app = await testApp();
  ada = await app.user('ada@example.com', { role: 'admin', teams: { ml: 'admin' } });
  await storeAgent(app, ada.email, { name: 'greeter' });
  folder = await mkdtemp(join(tmpdir(), 'gantry-sqlmap-'));
});
afterAll(async () => {
  await app?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The final output. A `*` in the address is a place to try, too. */
async function look(url: string, body?: object): Promise<string> {
  const what = ['--dbms=PostgreSQL', '--technique=BEUSQ', '--level=1', '--risk=1', '--ignore-code=*'];
  const how = ['--batch', '--threads=4', '--disable-coloring', '--flush-session', `--output-dir=${folder}`];
  const whom = [`--headers=Authorization: Bearer ${ada.token}\nContent-Type: application/json`];
  const sent = body === undefined ? [] : ['--method=POST', `--data=${JSON.stringify(body)}`];
  const { stdout } = await promisify(execFile)('sqlmap', ['-u', url, ...what, ...how, ...whom, ...sent], {
    env: { PATH: '/usr/bin:/bin', HOME: folder },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

const found = 'sqlmap identified the following injection point';
const nothing_found = 'all tested parameters do not appear to be injectable';

test('it finds a text that becomes part of a statement', async () => {
  const careless = createServer((request, response) => {
    const name = new URL(request.url ?? '/', 'http://x').searchParams.get('name');
    app.db.all({ strings: [`select email from app_user where email = '${name}'`], values: [] }).then(
      (rows) => response.end(JSON.stringify(rows)),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  }).listen(0, '127.0.0.1');
  await once(careless, 'listening');
  const { port } = careless.address() as AddressInfo; // it listens on TCP
  expect(await look(`http://127.0.0.1:${port}/?name=ada@example.com`)).toContain(found);
  careless.closeAllConnections();
  careless.close();
});

test.each<[string, object?]>([
  [
    'audit?asset=agents/greeter&user=ada@example.com&action=team.created&outcome=done&since=2026-01-01T00:00:00Z&limit=5',
  ],
  ['registry/search?q=greet&kind=agent&limit=5'],
  ['registry/agent?team=ml&limit=5'],
  ['registry/agent/greeter*'],
  ['agents/greeter*/logs?tail=5&follow=false'],
  ['rbac/permissions?resource_type=agent&resource_id=greeter&limit=5'],
  ['rbac/permissions/check?resource_type=agent&resource_id=greeter&action=read'],
  ['rbac/permissions/explain?resource_type=agent&resource_id=greeter&action=read&principal=user:ada@example.com'],
  ['rbac/approvals?status=pending&asset=agents/greeter&limit=5'],
  ['rbac/groups?team=ml&name=a'],
  ['rbac/service-principals?team=ml&name=a'],
  ['deployments?agent=greeter&limit=5'],
  ['users?email=ada@example.com&limit=5'],
  ['teams/ml*'],
  ['notifications?limit=5'],
  ['teams/ml/members', { principal: 'user:ada@example.com', role: 'admin' }],
  [
    'rbac/permissions',
    {
      resource_type: 'agent',
      resource_id: 'greeter',
      principal_type: 'user',
      principal_id: 'ada@example.com',
      actions: ['read'],
    },
  ],
])('it finds none in %s', async (path, body) => {
  const url = `${app.url}/api/v1/${path}`;
  const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  expect((await fetch(url.replace('*', ''), { headers, ...sent })).status).toBeLessThan(400);
  expect(await look(url, body)).toContain(nothing_found);
});
