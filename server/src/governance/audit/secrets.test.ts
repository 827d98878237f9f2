// Random words as every kind of secret. None of them appears in the service's log, in the audit log, in its export, or anywhere in the database.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contains, databaseAsText } from '../../testing/database-as-text.ts';
import { freePort } from '../../testing/servers/free-port.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp } from '../../testing/test-app.ts';

const secrets = new Map<string, string>();
function secret(what: string): string {
  const word = `canary-${randomBytes(12).toString('hex')}`;
  secrets.set(what, word);
  return word;
}

let app: TestApp;
let logged = '';

beforeAll(async () => {
  const audit_push = {
    urls: [`https://127.0.0.1:${await freePort()}/in?token=${secret('the query of AUDIT_PUSH_URL')}`],
    token: secret('AUDIT_PUSH_TOKEN'),
    signing_key: secret('AUDIT_PUSH_SIGNING_KEY'),
    ca_file: undefined,
  };
  app = await testApp({ config: { audit_push }, onLog: (line) => (logged += line) });
  secrets.set('SECRET_KEY', app.secret_key);
});
afterAll(async () => await app?.stop());

/** A raw request, with a body or headers that our clients never send. */
async function send(method: string, path: string, body: string, headers: Record<string, string> = {}): Promise<number> {
  const all = { 'content-type': 'application/json', ...headers };
  return (await fetch(app.url + path, { method, headers: all, body })).status;
}
const post = async (path: string, body: string, headers?: Record<string, string>) =>
  await send('POST', path, body, headers);
const put = async (path: string, body: string, headers?: Record<string, string>) =>
  await send('PUT', path, body, headers);

async function useSecretsEverywhere(): Promise<void> {
  const first = secret('a password');
  const eve = await app.user('eve@example.com', { password: first, teams: { ml: 'contributor' } });
  secrets.set('an access token', eve.token);
  const login = async (password: string) =>
    await app.anonymous.call('auth.login', { body: { email: eve.email, password } });
  await expect(login(secret('a wrong password'))).rejects.toMatchObject({ code: 'bad_credentials' });
  const new_password = secret('a new password');
  await eve.client.call('auth.change_password', { body: { old_password: first, new_password } });
  const wrong = { old_password: secret('a wrong old password'), new_password: secret('a password that is not taken') };
  await expect(eve.client.call('auth.change_password', { body: wrong })).rejects.toBeDefined();
  secrets.set('a second access token', (await login(new_password)).access_token);
  const created = await app.admin.client.call(
    'users.create',
    { body: { email: 'new@example.com' } },
    { headers: { 'idempotency-key': 'made-once-for-the-test' } },
  );
  secrets.set('a one-time password', created.one_time_password ?? '');

  const made = await app.admin.client.call(
    'keys.create',
    { body: { scope: 'team', scope_id: 'ml' } },
    { headers: { 'idempotency-key': 'a-key-for-the-test' } },
  );
  secrets.set('a gateway key', made.key ?? '');
  await app.admin.client.call('keys.reveal', { params: { id: made.id } });
  const rotated = await app.admin.client.call('keys.rotate', { params: { id: made.id } });
  secrets.set('a gateway key after its rotation', rotated.key ?? '');
  const { waiting_keys } = await app.anonymous.call('auth.login', {
    body: { email: app.admin.email, password: app.admin.password },
  });
  const claimed = await app.admin.client.call('keys.claim', { params: { id: waiting_keys[0]?.id ?? '' } });
  secrets.set('a claimed gateway key', claimed.key ?? '');

  const set = { team: 'ml', name: 'CANARY', value: secret('the value of a secret') };
  await app.admin.client.call('secrets.set', { body: set });
  await app.admin.client.call('secrets.set', { body: { ...set, value: secret('the next value of a secret') } });

  // In wrong places, or in refused requests.
  const email = eve.email;
  expect(await post('/api/v1/auth/login', JSON.stringify({ email, password: [secret('a password in a list')] }))).toBe(
    422,
  );
  expect(await post('/api/v1/auth/login', `{"email":"${email}","password":"${secret('a password cut off')}`)).toBe(400);
  const bearing = { authorization: `Bearer ${app.admin.token}` };
  expect(await put('/api/v1/secrets', JSON.stringify({ ...set, value: [secret('a value in a list')] }), bearing)).toBe(
    422,
  );
  expect(
    await put('/api/v1/secrets', JSON.stringify({ ...set, value: `${secret('a value with a NUL')}\0` }), bearing),
  ).toBe(422);
  expect(await put('/api/v1/secrets', `{"team":"ml","value":"${secret('a value cut off')}`, bearing)).toBe(400);
  const misnamed = { email, password: first, [secret('a password for a name')]: secret('under an unknown name') };
  expect(await post('/api/v1/auth/login', JSON.stringify(misnamed))).toBe(422);
  expect(await post(`/api/v1/auth/login?password=${secret('a password in a query')}`, '{}')).toBe(400);
  const bearer = { authorization: `Bearer ${secret('a bad token')}.a.b` };
  expect(await post('/api/v1/teams', '{"name":"x"}', bearer)).toBe(401);
  expect(await post('/api/v1/teams', '{"name":"x"}', { authorization: `Basic ${secret('a basic credential')}` })).toBe(
    401,
  );
}

test('no secret is in logs, audit, export or any table, and the search finds other values', async () => {
  await useSecretsEverywhere();
  const control = `control-${randomBytes(8).toString('hex')}`;
  const value = secret('a variable of an agent');
  const yaml = `description: ${control}\ndeploy: {env_vars: {MODEL_KEY: ${value}}}\n`;
  const { ref } = await storeAgent(app, 'eve@example.com', { name: 'holder', yaml });
  await app.admin.client.call('teams.create', { body: { name: 'after-all' } });
  await app.admin.client.call('approvals.submit', { body: { asset: ref, message: control } });
  await expect.poll(() => logged, { timeout: 15_000 }).toContain('does not reach');
  // The address is shown without its possible secrets.
  const findings = await app.admin.client.call('service.doctor', {});
  const copy = findings.find(({ part }) => part === 'audit copy');
  expect(copy).toMatchObject({ verdict: 'problem', detail: expect.stringContaining('ECONNREFUSED') as string });

  const response = await fetch(`${app.url}/api/v1/audit/export`, {
    headers: { authorization: `Bearer ${app.admin.token}` },
  });
  const dump = await databaseAsText(app.db);
  const texts = new Map([
    ['log', logged],
    ['export', await response.text()],
    ['doctor', JSON.stringify(findings)],
    ...dump,
  ]);
  const foundIn = (word: string) => [...texts].filter(([, text]) => contains(text, word)).map(([where]) => where);

  expect(foundIn('holder')).toEqual(expect.arrayContaining(['export', 'audit.entry', 'public.asset']));
  expect(foundIn('eve@example.com')).toEqual(expect.arrayContaining(['log', 'export', 'public.app_user']));
  // Variables are in the version's config, and nowhere else.
  expect(foundIn(value)).toContain('public.content');
  expect(foundIn(control)).toEqual(expect.arrayContaining(['public.content', 'public.approval']));
  const allowed = new Set(['public.content', 'public.blob']);
  for (const [what, word] of secrets) {
    expect(word.length).toBeGreaterThan(8);
    const found = foundIn(word).filter((where) => word !== value || !allowed.has(where));
    expect({ what, found }).toEqual({ what, found: [] });
  }
});
