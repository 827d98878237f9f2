// Vertex AI through the real service: the key of a service account becomes a token, and the token alone goes to the model.
import { generateKeyPairSync } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { importSPKI, jwtVerify } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { modelUpstream, type ModelUpstream } from '../../../testing/models/model-upstream.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let upstream: ModelUpstream;
let app: TestApp;
let ada: TestUser;
let key: string;
/** The requests for a token. */
let asked: URLSearchParams[] = [];
let next: { status: number; answer: object };

const pair = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const origin = () => `http://${upstream.host}`;
const account = (more: object = {}) => ({
  type: 'service_account',
  client_email: 'gantry@acme-1.example',
  private_key: pair.privateKey,
  private_key_id: 'key-1',
  token_uri: `${origin()}/token`,
  ...more,
});

beforeAll(async () => {
  upstream = await modelUpstream();
  upstream.mock.mount('/token', {
    handleRequest: async (request, response) => {
      asked.push(new URLSearchParams(await text(request)));
      response.writeHead(next.status, { 'content-type': 'application/json' }).end(JSON.stringify(next.answer));
      return true;
    },
  });
  app = await testApp({
    config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [upstream.host] },
  });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  key = (await ada.client.call('keys.create', { body: { max_budget: '1000' } })).key ?? '';
});
afterAll(async () => {
  await app?.stop();
  await upstream?.stop();
});
beforeEach(() => {
  upstream.mock.clearRequests();
  asked = [];
  next = { status: 200, answer: { access_token: 'ya29.a-token-of-google', expires_in: 3599 } };
});

const base_url = () => `${origin()}/v1/projects/acme-1/locations/us-east1/publishers/google`;

async function add(name: string, value: string) {
  const secret = `ACCOUNT_${name.toUpperCase()}`;
  await ada.client.call('secrets.set', { body: { team: 'ml', name: secret, value } });
  const config = { provider: 'vertex', model: 'gemini-2.5-flash', base_url: base_url(), secret };
  await ada.client.call('registry.create', { params: { kind: 'model' }, body: { name, team: 'ml', config } });
}

async function send(name: string) {
  const answered = await fetch(`${app.url}/v1beta/models/${name}:generateContent`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': key },
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Which capital?' }] }] }),
  });
  return { status: answered.status, said: await answered.text() };
}

test('calls at the same time share one token, which the key of the account has asked for, and only the token reaches the model', async () => {
  await add('shared', JSON.stringify(account(), null, 2));
  const answers = await Promise.all([send('shared'), send('shared'), send('shared')]);
  const answered = { status: 200, said: expect.stringContaining('Paris') as string };
  expect(answers).toEqual([answered, answered, answered]);
  expect(await send('shared')).toMatchObject({ status: 200 });
  expect(asked.map((one) => one.get('grant_type'))).toEqual(['urn:ietf:params:oauth:grant-type:jwt-bearer']);
  const signed = await jwtVerify(asked[0]?.get('assertion') ?? '', await importSPKI(pair.publicKey, 'RS256'));
  expect(signed).toMatchObject({
    protectedHeader: { alg: 'RS256', kid: 'key-1' },
    payload: {
      iss: 'gantry@acme-1.example',
      aud: `${origin()}/token`,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
    },
  });
  const requests = upstream.mock.getRequests().filter(({ path }) => path.includes(':generateContent'));
  expect(requests).toHaveLength(4);
  for (const { headers, path } of requests) {
    expect(path).toBe(
      '/v1/projects/acme-1/locations/us-east1/publishers/google/models/gemini-2.5-flash:generateContent',
    );
    expect(JSON.stringify(headers)).not.toContain('PRIVATE KEY');
  }
});

test('a token is asked for again after its end', async () => {
  await add('short', JSON.stringify(account({ client_email: 'short@acme-1.example' })));
  next = { status: 200, answer: { access_token: 'ya29.a-short-token', expires_in: 1 } };
  expect(await send('short')).toMatchObject({ status: 200 });
  const again = async () => {
    await send('short');
    return asked.length;
  };
  await expect.poll(again, { timeout: 20_000 }).toBeGreaterThan(1);
});

test.each([
  ['no JSON', () => 'a-key-of-another-kind', 'is no key of a service account'],
  [
    'an address that nobody has listed',
    () => account({ token_uri: 'https://elsewhere.example/token' }),
    'is not Google’s',
  ],
  ['a private key that is none', () => account({ private_key: 'x'.repeat(200) }), 'cannot be read'],
])('a service account with %s is refused by name, and nothing of it is sent or shown', async (what, of, why) => {
  const name = what.replace(/[^a-z]/gi, '').toLowerCase();
  const value = of();
  await add(name, typeof value === 'string' ? value : JSON.stringify(value));
  const { status, said } = await send(name);
  expect([status, said]).toEqual([503, expect.stringContaining(why)]);
  expect(said).not.toMatch(/PRIVATE KEY|a-key-of-another-kind|xxx/);
  expect([asked, upstream.mock.getRequests()]).toEqual([[], []]);
});

test('a refusal of Google is the fault of the service, is not kept, and costs nothing', async () => {
  await add('late', JSON.stringify(account({ client_email: 'late@acme-1.example' })));
  next = { status: 400, answer: { error: 'invalid_grant' } };
  const { status, said } = await send('late');
  expect([status, said]).toEqual([503, expect.stringContaining('refused its service account with 400')]);
  next = { status: 200, answer: { access_token: 'ya29.a-token-of-google', expires_in: 3599 } };
  expect(await send('late')).toMatchObject({ status: 200 });
});
