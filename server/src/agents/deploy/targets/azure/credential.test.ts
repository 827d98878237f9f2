// What proves the service to Azure, and what an answer in Azure's place can do, against a server that answers what a test tells it.
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openOutbound } from '../../../../ground/outbound/outbound.ts';
import { credential, key_file, planning } from '../../../../testing/agents/azure-revision.ts';
import { answeringServer } from '../../../../testing/servers/answering-server.ts';
import { azureClient } from './azure-client.ts';
import { accessToken, readKey } from './credential.ts';
import { finished } from './operations.ts';
import { policyFiles } from './policy.ts';
import { registryLogin } from './registry-login.ts';

const outbound = openOutbound({ private_hosts: ['127.0.0.1'] });
afterAll(async () => await outbound.close());
const signal = () => AbortSignal.timeout(30_000);

const answering = async (
  status: number,
  body: unknown,
  {
    headers = {},
    onAsked = () => {},
  }: { headers?: Record<string, string>; onAsked?: (one: IncomingMessage) => void } = {},
) =>
  await answeringServer((request, response) => {
    onAsked(request);
    response
      .writeHead(status, { location: 'http://127.0.0.1:1/', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  });
const given = { access_token: 'eyJ.a', expires_in: 3599 };

test('the secret of an application is sent to its tenant alone, and each API has a token that serves until it ends', async () => {
  const asked: { path: string; body: string }[] = [];
  const login = await answeringServer((request, response) => {
    void (async () => {
      asked.push({ path: request.url ?? '', body: await text(request) });
      response.end(JSON.stringify(given));
    })();
  });
  const ask = accessToken({ key: key_file, outbound, addresses: { login, machine: login } });
  expect(await Promise.all([ask('arm'), ask('arm'), ask('logs')])).toEqual(['eyJ.a', 'eyJ.a', 'eyJ.a']);
  await ask('arm');
  expect(asked.map(({ path }) => path)).toEqual([
    `/${credential.tenant}/oauth2/v2.0/token`,
    `/${credential.tenant}/oauth2/v2.0/token`,
  ]);
  expect(asked.map(({ body }) => String(new URLSearchParams(body).get('scope'))).toSorted()).toEqual([
    'https://api.loganalytics.azure.com/.default',
    'https://management.azure.com/.default',
  ]);
});

test('a token that soon ends is replaced', async () => {
  let count = 0;
  const login = await answering(200, { ...given, expires_in: 200 }, { onAsked: () => count++ });
  const ask = accessToken({ key: key_file, outbound, addresses: { login, machine: login } });
  await ask('arm');
  await ask('arm');
  expect(count).toBe(2);
});

test('without a credential, the machine is asked as Azure wants it', async () => {
  const asked: (string | undefined)[] = [];
  const machine = await answering(
    200,
    { ...given, expires_in: '3599' },
    { onAsked: ({ headers, url }) => asked.push(String(headers['metadata']), url) },
  );
  const ask = accessToken({ key: undefined, outbound, addresses: { login: machine, machine } });
  expect(await ask('arm')).toBe('eyJ.a');
  expect(asked).toEqual(['true', '/?api-version=2018-02-01&resource=https%3A%2F%2Fmanagement.azure.com']);
});

const written = JSON.parse(key_file) as Record<string, unknown>;
test.each<[string, unknown]>([
  ['`tenant`', { ...written, tenant: 'example.com/../x' }],
  ['`tenant`', { ...written, tenant: `${credential.tenant}@example.com` }],
  ['`appId`', { ...written, appId: "x' --role Owner '" }],
  ['`password`', { ...written, password: '' }],
  ['`activeDirectoryEndpointUrl`', { ...written, activeDirectoryEndpointUrl: 'http://169.254.169.254/' }],
  ['`fileWithCertAndPrivateKey`', { ...written, fileWithCertAndPrivateKey: '/etc/example' }],
  ['`tenant`', 'no JSON at all'],
  ['`tenant`', []],
])(
  'T605 a credential that names %s otherwise is refused, and nothing of it is followed or shown',
  async (field, file) => {
    let count = 0;
    const login = await answering(200, given, { onAsked: () => count++ });
    const key = typeof file === 'string' ? file : JSON.stringify(file);
    const refusal = await accessToken({ key, outbound, addresses: { login, machine: login } })('arm').catch(
      (error: unknown) => error,
    );
    expect(refusal).toMatchObject({
      code: 'engine_unavailable',
      detail: expect.stringContaining(Array.isArray(file) ? 'is not as such a file' : field),
    });
    expect(JSON.stringify(refusal)).not.toMatch(/the secret of an application of the stand-in|169|example|Owner/);
    expect(count).toBe(0);
    expect(() => readKey(key)).toThrow('is not as such a file');
  },
);

test.each<[number, unknown, string]>([
  [401, { error: 'invalid_client', error_description: 'echo' }, 'does not accept the secret of the application (401)'],
  [302, {}, 'does not accept the secret of the application (302)'],
  [200, 'echo', 'another form'],
  [200, { access_token: '', expires_in: 1 }, 'another form'],
  [200, { access_token: 'x'.repeat(100_000), expires_in: 1 }, 'too long'],
])('T605 an answer %s with another content than a token is a sentence without it', async (status, body, sentence) => {
  const login = await answering(status, body);
  const ask = accessToken({ key: key_file, outbound, addresses: { login, machine: login } });
  const refusal = await ask('arm').catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'engine_unavailable', detail: expect.stringContaining(sentence) });
  expect(JSON.stringify(refusal)).not.toContain('echo');
});

const client = (arm: string) =>
  azureClient({ token: async () => await Promise.resolve('eyJ.a'), outbound, hosts: { arm, logs: arm } });
const name = '/subscriptions/a/resourceGroups/b/providers/Microsoft.App/containerApps/c';

test('T605 an operation or a further page at another host, or at another place of Azure, is not followed', async () => {
  let count = 0;
  const other = await answering(200, { status: 'Succeeded' }, { onAsked: () => count++ });
  const within = '/subscriptions/a/providers/Microsoft.App/locations/x/containerappOperationStatuses/1';
  for (const next of [`${other}${within}`, '//example.com/x', 'file:///etc/passwd', 'no address', '/relative', '']) {
    const arm = await answering(201, {}, { headers: { 'azure-asyncoperation': next || 'http://[' } });
    const refusal = await finished(
      client(arm),
      { method: 'ContainerApps.createOrUpdate', name, body: {} },
      { subscription: 'a' },
    ).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'engine_unavailable', detail: expect.stringContaining('is not followed') });
  }
  const arm = await answering(200, {});
  const azure = client(arm);
  const list = 'ContainerApps.listByResourceGroup';
  expect(() => azure.named(list, `${arm}/subscriptions/other/x`, '/subscriptions/a/resourceGroups/b')).toThrow(
    'not foll',
  );
  expect(() => azure.named('operation', `${arm}/subscriptions/a/resourceGroups/b`, `/subscriptions/a/prov`)).toThrow();
  expect(() => azure.named('operation', `http://x@${new URL(arm).host}/subscriptions/a`, '/subscriptions/a')).toThrow();
  expect(count).toBe(0);
});

test('an operation that ends badly is a sentence, and one that is answered with another form is no success', async () => {
  const run = async (status: number, body: unknown) => {
    const arm: string = await answeringServer((request, response) => {
      if (request.method === 'GET') return void response.writeHead(status).end(JSON.stringify(body));
      const at = `${arm}/subscriptions/a/providers/Microsoft.App/locations/x/containerappOperationStatuses/1`;
      response.writeHead(201, { 'azure-asyncoperation': at }).end('{}');
    });
    const request = { method: 'ContainerApps.createOrUpdate', name, body: {} } as const;
    return await finished(client(arm), request, { subscription: 'a' }).catch((error: unknown) => error);
  };
  expect(await run(200, { status: 'Succeeded' })).toBeUndefined();
  expect(await run(200, { status: 'Failed', error: { code: 'x', message: 'no room' } })).toMatchObject({
    code: 'start_failed',
    detail: 'Container Apps says: no room',
  });
  expect(await run(200, { status: 'Canceled' })).toMatchObject({ detail: 'Container Apps says: Canceled' });
  expect(await run(200, {})).toMatchObject({ code: 'engine_unavailable' });
}, 30_000);

const call = async (status: number, body: unknown) =>
  await client(await answering(status, body))
    .call({ method: 'ContainerApps.get', name }, z.object({ name: z.string() }))
    .catch((error: unknown) => error);

test('T606 what Azure answers is bounded, has the expected form, and a page for an unknown path is no missing thing', async () => {
  expect(await call(200, { name: 'x' })).toEqual({ name: 'x' });
  const azure_says = (code: string, message = 'in its words') => ({ error: { code, message } });
  expect(await call(404, azure_says('ResourceNotFound'))).toMatchObject({ answered: 404, code: 'start_failed' });
  expect(await call(403, azure_says('AuthorizationFailed'))).toMatchObject({
    code: 'engine_unavailable',
    detail: 'Azure refuses it (AuthorizationFailed): in its words',
  });
  expect(await call(401, azure_says('x'))).toMatchObject({ detail: expect.stringContaining('credential') });
  for (const [status, body] of [
    [404, '<html>not here</html>'],
    [200, '<html>a proxy</html>'],
    [200, { other: 1 }],
    [301, ''],
  ] as const) {
    const refusal = await call(status, body);
    expect(refusal).toMatchObject({ code: 'engine_unavailable' });
    expect(refusal).not.toHaveProperty('answered');
  }
  const long = await call(400, azure_says('InvalidRequest', 'many words '.repeat(10_000)));
  expect(long).toMatchObject({ code: 'start_failed', detail: expect.stringMatching(/^.{1000,1100}$/) });
});

test('T605 the registry gets the token of Azure in an exchange, and its answer is bounded and never shown', async () => {
  const asked: string[] = [];
  const right = await answeringServer((request, response) => {
    void (async () => {
      asked.push(`${request.url} ${await text(request)}`);
      response.end(JSON.stringify({ refresh_token: 'a refresh token' }));
    })();
  });
  expect(await registryLogin(right, { token: 'eyJ.a', outbound }, signal())).toEqual({
    username: '00000000-0000-0000-0000-000000000000',
    password: 'a refresh token',
  });
  const service = encodeURIComponent(new URL(right).host);
  expect(asked).toEqual([`/oauth2/exchange grant_type=access_token&service=${service}&access_token=eyJ.a`]);
  for (const [status, body] of [
    [401, { errors: [{ message: 'echo' }] }],
    [302, 'echo'],
    [200, { refresh_token: '', echo: 1 }],
    [200, `{"refresh_token": "${'echo'.repeat(50_000)}"}`],
  ] as const) {
    const refusal = await registryLogin(await answering(status, body), { token: 'eyJ.a', outbound }, signal()).catch(
      (error: unknown) => error,
    );
    expect(refusal).toMatchObject({ code: 'engine_unavailable' });
    expect(JSON.stringify(refusal)).not.toMatch(/echo|eyJ/);
  }
});

test('T606 the policy names its commands for the owner, with the identity of the service and without a wide role', () => {
  const files = policyFiles(planning.settings, { member: credential.appId });
  const content = files.map((one) => one.content).join('\n');
  expect(files.map(({ file }) => file)).toEqual([
    'role-group.json',
    'role-logs.json',
    'role-identity.json',
    'apply.sh',
  ]);
  expect(content).toContain(`--assignee '${credential.appId}'`);
  expect(content).toContain('/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/agents');
  expect(content).not.toMatch(/\*|Owner|Contributor|roleAssignments\/write/);
});
