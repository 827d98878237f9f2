// The client on an API server that answers what a test tells it, over TLS. e2e/kubernetes/ has the real one.
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { certificate } from '../../../../testing/servers/receivers.ts';
import { connectCluster } from './client.ts';

const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' } };
const v1 = { kind: 'APIResourceList', resources: [{ kind: 'Secret', name: 'secrets', namespaced: true }] };
let folder = '';
let own = '';
let other = '';
let server: Server;
let address = '';
let answer = { status: 200, body: {} as object };
let asked: { url: string; authorization: string | undefined }[] = [];
let connections = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gantry-test-'));
  const files = await certificate(folder, 'server');
  own = await readFile(files.cert, 'utf8');
  other = await readFile((await certificate(folder, 'other')).cert, 'utf8');
  const options = { key: await readFile(files.key), cert: own };
  server = createServer(options, (request, response) => {
    const { url = '', headers } = request;
    const found = url === '/api/v1' ? { status: 200, body: v1 } : answer;
    if (url !== '/api/v1') asked.push({ url, authorization: headers.authorization });
    response.writeHead(found.status, { 'content-type': 'application/json' }).end(JSON.stringify(found.body));
  }).listen(0, '127.0.0.1');
  server.on('secureConnection', () => connections++);
  await once(server, 'listening');
  address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
});
beforeEach(() => {
  asked = [];
  connections = 0;
});
afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

const connect = async (ca = own) =>
  await connectCluster({ name: 'cluster', address, ca, namespace: 'agents', credential: { token: 'the token\n' } });
const refusal = (status: number, message: string) => ({ status, body: { kind: 'Status', apiVersion: 'v1', message } });

test('T564: another authority than that of the config is not accepted, and gets no token', async () => {
  answer = { status: 200, body: { ...secret, data: {} } };
  const cluster = await connect(other);
  await expect(cluster.read(secret)).rejects.toMatchObject({
    code: 'engine_unavailable',
    detail: expect.stringMatching(/does not answer \((DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED|UNABLE_TO)/),
  });
  const log = cluster.open('pods/one/log', {}, AbortSignal.timeout(5000));
  await expect(log).rejects.toMatchObject({ code: 'engine_unavailable' });
  expect(asked).toEqual([]);
});

test('requests go to the namespace with the token, and share connections', async () => {
  answer = { status: 200, body: { ...secret, data: {} } };
  const cluster = await connect();
  for (let n = 0; n < 3; n++) await cluster.read(secret);
  await cluster.apply(secret);
  const url = '/api/v1/namespaces/agents/secrets/one';
  const authorization = 'Bearer the token';
  expect(asked).toEqual([
    ...Array.from({ length: 3 }, () => ({ url, authorization })),
    { url: `${url}?fieldManager=gantry&force=true`, authorization },
  ]);
  // The library opens one for each request, and one more for the list of kinds.
  expect(connections).toBeLessThan(asked.length);
});

test('a missing object is undefined, and a missing namespace is a problem', async () => {
  const cluster = await connect();
  answer = refusal(404, 'secrets "one" not found');
  expect(await cluster.read(secret)).toBeUndefined();
  await cluster.merge(secret);
  await cluster.remove(secret);
  expect(await cluster.open('pods/one/log', {}, AbortSignal.timeout(5000))).toBeUndefined();
  answer = refusal(404, 'namespaces "agents" not found');
  await expect(cluster.read(secret)).rejects.toMatchObject({ code: 'engine_unavailable' });
});

test.each([
  [401, 'Unauthorized', 'engine_unavailable', 'does not accept the credential'],
  [403, 'User "gantry" cannot get resource "secrets"', 'engine_unavailable', 'cannot get resource "secrets"'],
  [422, 'spec.replicas: Invalid value', 'start_failed', 'spec.replicas: Invalid value'],
  [500, 'etcd is away', 'engine_unavailable', 'etcd is away'],
])('an answer %i is a problem with the words of the cluster', async (status, message, code, detail) => {
  answer = refusal(status, message);
  const cluster = await connect();
  await expect(cluster.read(secret)).rejects.toMatchObject({ code, detail: expect.stringContaining(detail) });
});

test('nobody connects without a credential', async () => {
  const bare = connectCluster({ name: 'cluster', address, ca: own, namespace: 'agents', credential: undefined });
  await expect(bare).rejects.toMatchObject({
    code: 'engine_unavailable',
    hint: 'A platform admin sets it: svc target credential cluster --token <file>',
  });
});
