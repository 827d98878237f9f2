// Pages of other sites that call agents from a browser.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problem } from '@gantry/contract/problems.ts';
import { signInBrowser } from '../../testing/browser.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
const site = 'https://chat.example.com';
const path = '/agents/greeter/langgraph/threads/search';
beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  await storeAgent(app, ada.email, { name: 'greeter' });
  await app.admin.client.call('org.set', { body: { browser_origins: [site] } });
});
afterAll(async () => await app?.stop());

const asks = async (origin: string, at = path) =>
  await fetch(app.url + at, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
  });
const sends = async (origin: string, headers: Record<string, string>, at = path) =>
  await fetch(app.url + at, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json', ...headers },
    body: '{}',
  });
const allowedIn = ({ headers }: Response) => headers.get('access-control-allow-origin');
const token = () => ({ authorization: `Bearer ${ada.token}` });

test('a page of a named site may ask and read, with a token of its own', async () => {
  const asked = await asks(site);
  expect([asked.status, allowedIn(asked)]).toEqual([204, site]);
  for (const header of ['authorization', 'x-api-key'])
    expect(asked.headers.get('access-control-allow-headers')).toContain(header);
  expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
  const answered = await sends(site, token());
  expect([answered.status, allowedIn(answered)]).toEqual([200, site]);
  expect(answered.headers.get('access-control-expose-headers')).toContain('content-location');
  expect(answered.headers.get('access-control-allow-credentials')).toBeNull();
  // It also reads why it was refused.
  const refused = await sends(site, {});
  expect([refused.status, allowedIn(refused)]).toEqual([401, site]);
});

test('a page of another site may not', async () => {
  for (const origin of ['https://evil.example.com', `${site}.evil.com`, 'null', 'http://chat.example.com']) {
    const asked = await asks(origin);
    expect([origin, asked.status, allowedIn(asked)]).toEqual([origin, 403, null]);
    expect([origin, allowedIn(await sends(origin, token()))]).toEqual([origin, null]);
  }
});

test('no other surface takes pages', async () => {
  for (const at of ['/agents/greeter/invoke', '/api/v1/teams', '/agents/greeter/a2a', '/nothing']) {
    const asked = await asks(site, at);
    expect([at, asked.status < 300, allowedIn(asked)]).toEqual([at, false, null]);
    expect([at, allowedIn(await sends(site, token(), at))]).toEqual([at, null]);
  }
});

test('the cookie of a browser is no proof there', async () => {
  const cookie = await signInBrowser(app.url, ada);
  const of_own_page = { cookie, 'sec-fetch-site': 'same-origin' };
  const list = await fetch(`${app.url}/agents/greeter/threads`, { headers: of_own_page });
  expect(list.status).toBe(200);
  expect((await sends(app.url, of_own_page)).status).toBe(401);
});

test('only an origin can be named', async () => {
  for (const origin of ['*', 'https://chat.example.com/', 'chat.example.com', 'null', 'file:///']) {
    const set = app.admin.client.call('org.set', { body: { browser_origins: [origin] } });
    await expect(set, origin).rejects.toThrow(Problem);
  }
});
