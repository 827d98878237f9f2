// What proves the service to Google, against a server that answers what a test tells it. No key of Google is here.
import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { jwtVerify } from 'jose';
import { afterAll, expect, test } from 'vitest';
import { openOutbound } from '../../../../ground/outbound/outbound.ts';
import { answeringServer } from '../../../../testing/servers/answering-server.ts';
import { planning } from '../../../../testing/agents/gcp-revision.ts';
import { accessToken, readKey } from './credential.ts';
import { google } from './google.ts';
import { policyFiles } from './policy.ts';
import { z } from 'zod';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const client_email = 'gantry@my-project.iam.gserviceaccount.com';
const written = { type: 'service_account', private_key_id: 'a1', private_key, client_email };
const outbound = openOutbound({ private_hosts: ['127.0.0.1'] });
afterAll(async () => await outbound.close());

const answering = async (status: number, body: unknown, onAsked: (request: IncomingMessage) => void = () => {}) =>
  await answeringServer((request, response) => {
    onAsked(request);
    response
      .writeHead(status, { location: 'http://127.0.0.1:1/' })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  });
const given = { access_token: 'ya29.a', expires_in: 3599 };

test('a key signs a question of its own for a token, for Google alone, and the token serves until it ends', async () => {
  const asked: string[] = [];
  const token = await answeringServer((request, response) => {
    void (async () => {
      asked.push(await text(request));
      response.end(JSON.stringify(given));
    })();
  });
  const ask = accessToken({ key: JSON.stringify(written), outbound, addresses: { token, machine: token } });
  expect(await Promise.all([ask(), ask()])).toEqual(['ya29.a', 'ya29.a']);
  expect(await ask()).toBe('ya29.a');
  expect(asked).toHaveLength(1);
  const assertion = new URLSearchParams(asked[0]).get('assertion') ?? '';
  const { payload, protectedHeader } = await jwtVerify(assertion, publicKey, {
    audience: 'https://oauth2.googleapis.com/token',
    issuer: client_email,
  });
  expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: 'a1' });
  expect(payload['scope']).toBe('https://www.googleapis.com/auth/cloud-platform');
});

test('a token that soon ends is replaced', async () => {
  let count = 0;
  const token = await answering(200, { access_token: 'ya29.short', expires_in: 200 }, () => count++);
  const ask = accessToken({ key: JSON.stringify(written), outbound, addresses: { token, machine: token } });
  await ask();
  await ask();
  expect(count).toBe(2);
});

test('without a key, the machine is asked as Google wants it', async () => {
  const asked: (string | undefined)[] = [];
  const machine = await answering(200, given, ({ headers }) => asked.push(String(headers['metadata-flavor'])));
  const ask = accessToken({ key: undefined, outbound, addresses: { token: machine, machine } });
  expect(await ask()).toBe('ya29.a');
  expect(asked).toEqual(['Google']);
});

test.each<[string, object | string]>([
  ['`type`', { ...written, type: 'external_account', credential_source: { executable: { command: 'id' } } }],
  ['`type`', { ...written, type: 'authorized_user' }],
  ['`token_uri`', { ...written, token_uri: 'http://169.254.169.254/token' }],
  ['`token_uri`', { ...written, token_uri: 'https://oauth2.googleapis.com.example.com/token' }],
  ['`universe_domain`', { ...written, universe_domain: 'example.com' }],
  ['`client_email`', { ...written, client_email: "x@example.com' --role=roles/owner '" }],
  ['`type`', 'no JSON at all'],
  ['`type`', '[]'],
])(
  'T595 a key file that names %s otherwise is refused, and nothing of it is followed or shown',
  async (field, file) => {
    let count = 0;
    const token = await answering(200, given, () => count++);
    const key = typeof file === 'string' ? file : JSON.stringify(file);
    const ask = accessToken({ key, outbound, addresses: { token, machine: token } });
    const refusal = await ask().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'engine_unavailable', detail: expect.stringContaining(field) });
    expect(JSON.stringify(refusal)).not.toMatch(/PRIVATE|169|example|executable/);
    expect(count).toBe(0);
    expect(() => readKey(key)).toThrow(field);
  },
);

test.each<[number, unknown, string]>([
  [
    400,
    { error: 'invalid_grant', error_description: 'echo of the assertion' },
    'does not accept the key of the service account (400)',
  ],
  [302, {}, 'does not accept the key of the service account (302)'],
  [200, 'echo of the assertion', 'another form'],
  [200, { access_token: '', expires_in: 1 }, 'another form'],
  [200, { access_token: 'x'.repeat(100_000), expires_in: 1 }, 'too long'],
])('T595 an answer %s with another content than a token is a sentence without it', async (status, body, sentence) => {
  const token = await answering(status, body);
  const ask = accessToken({ key: JSON.stringify(written), outbound, addresses: { token, machine: token } });
  const refusal = await ask().catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'engine_unavailable', detail: expect.stringContaining(sentence) });
  expect(JSON.stringify(refusal)).not.toContain('echo');
});

const call = async (status: number, body: unknown) => {
  const base = await answering(status, body);
  const token = async () => await Promise.resolve('ya29.a');
  const request = {
    method: 'run.projects.locations.operations.get',
    name: 'projects/a/locations/b/operations/c',
  } as const;
  return await google({ token, outbound, baseOf: () => base })
    .call(request, z.object({ name: z.string() }))
    .catch((error: unknown) => error);
};

test('T596 what Google answers is bounded, has the expected form, and a page for an unknown path is no missing thing', async () => {
  expect(await call(200, { name: 'x' })).toEqual({ name: 'x' });
  const google_says = (reason: string, message = 'in its words') => ({ error: { code: 0, status: reason, message } });
  expect(await call(404, google_says('NOT_FOUND'))).toMatchObject({ reason: 'NOT_FOUND', code: 'start_failed' });
  expect(await call(403, google_says('PERMISSION_DENIED'))).toMatchObject({
    code: 'engine_unavailable',
    detail: 'Google refuses it (PERMISSION_DENIED): in its words',
  });
  expect(await call(401, google_says('UNAUTHENTICATED'))).toMatchObject({
    detail: expect.stringContaining('credential'),
  });
  for (const [status, body] of [
    [404, '<html>not here</html>'],
    [200, '<html>a proxy</html>'],
    [200, { other: 1 }],
    [301, ''],
  ] as const) {
    const refusal = await call(status, body);
    expect(refusal).toMatchObject({ code: 'engine_unavailable' });
    expect(refusal).not.toHaveProperty('reason');
  }
  const long = await call(400, google_says('INVALID_ARGUMENT', 'many words '.repeat(10_000)));
  expect(long).toMatchObject({ code: 'start_failed', detail: expect.stringMatching(/^.{1000,1100}$/) });
});

test('T593 the policy names its commands for the owner of the project, with the identity of the service and without a wide role', () => {
  const files = policyFiles(planning, { member: `serviceAccount:${client_email}` });
  const content = files.map((one) => one.content).join('\n');
  expect(files.map(({ file }) => file)).toEqual(['role.json', 'secrets-of-agents.json', 'apply.sh']);
  expect(content).toContain(`serviceAccount:${client_email}`);
  expect(content).toContain(`gantry-${planning.installation_id}-`);
  expect(content).not.toMatch(/\*|roles\/(owner|editor|run\.admin|secretmanager\.admin)|setIamPolicy/);
});
