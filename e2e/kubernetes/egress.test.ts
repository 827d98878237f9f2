// The outgoing connections of limited agents in a cluster, tried from inside their pods. Each "closed" is beside an "open".
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { testConfig } from '../../server/src/testing/config.ts';
import { sql } from '../../server/src/ground/database/sql.ts';
import { testCluster } from './cluster.ts';
import { prober, type Prober } from './prober.ts';
import { openTargetStage, type TargetStage } from './target-stage.ts';

const cluster = testCluster();
const [target, bare] = ['cluster', 'bare'];
const done = { state: 'done', problem: null };
let stage: TargetStage;
let admin: Client;
let limited: Prober;
let listed: { server: Server; port: number };
let other: { server: Server; port: number };
let near: { server: Server; port: number };
// Only the service reaches it. Clients reach the host of the door and of the proxy without the proxy.
const outside = '127.0.0.2';

beforeAll(async () => {
  [listed, other, near] = [
    await listen('listed', outside),
    await listen('other', outside),
    await listen('near', cluster.host),
  ];
  stage = await openTargetStage(cluster, { outbound_private_hosts: [cluster.host, outside] });
  admin = stage.app.admin.client;
  limited = prober(admin, 'limited');
  await admin.call('teams.create', { body: { name: 'ml' } });
  const { egress_proxy_url: _, ...without } = stage.config;
  await add(target, stage.config);
  await add(bare, without);
});
afterAll(async () => {
  await stage?.stop();
  listed?.server.close();
  other?.server.close();
  near?.server.close();
});

async function add(name: string, config: Record<string, unknown>): Promise<void> {
  await admin.call('registry.create', {
    params: { kind: 'target' },
    body: { name, team: 'ml', config: config as Record<string, never> }, // any JSON, as from a client
  });
  await admin.call('targets.set_credential', { params: { name }, body: { token: stage.token } });
}

async function listen(name: string, host: string): Promise<{ server: Server; port: number }> {
  const server = createServer((_, answer) => answer.end(name)).listen(0, host);
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port }; // it listens on TCP
}

const findings = async (name: string) =>
  (await admin.call('targets.test', { params: { name } })).map(
    ({ part, works, message }) => `${works ? '' : 'not '}${part}: ${message}`,
  );

const everything = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  spec: { podSelector: {}, policyTypes: ['Egress'], egress: [{}] },
};

test('a target without a proxy refuses limited agents, and with one its test proves the limits in the cluster', async () => {
  const ref = await limited.push('0.9.0', 'deploy: {egress: ["example.com:443"]}\n');
  await expect(limited.deploy(ref, bare)).rejects.toMatchObject({ code: 'egress_not_enforced' });
  expect(await findings(target)).toContainEqual(expect.stringMatching(/^outgoing connections: are limited here/));
  expect(JSON.parse(await stage.here.kubectl('get', 'deployments', '-o', 'json'))).toMatchObject({ items: [] });
});

test('T581: where a policy has no effect, the test says so, and the code of a limited agent does not start', async () => {
  await cluster.apply({ ...everything, metadata: { name: 'everything', namespace: stage.here.name } });
  try {
    expect(await findings(target)).toContainEqual(
      expect.stringMatching(/^not outgoing connections: .*nothing in the cluster enforces it/),
    );
    const ref = await limited.push('0.9.1', 'deploy: {egress: ["example.com:443"]}\n');
    const deployment = await limited.deploy(ref, target);
    expect(deployment).toMatchObject({ state: 'failed', problem: { code: 'egress_not_enforced' } });
    expect(JSON.stringify(deployment)).not.toContain('agent_ready');
  } finally {
    await stage.here.kubectl('delete', 'networkpolicy', 'everything');
  }
}, 300_000);

const helpers = `
import os, socket, urllib.error, urllib.request
from urllib.parse import urlsplit

def opens(host, port):
    try:
        socket.create_connection((host, port), 2).close()
        return True
    except OSError:
        return False

def get(url, proxy=None):
    handlers = [] if proxy is None else [urllib.request.ProxyHandler({"http": proxy})]
    try:
        with urllib.request.build_opener(*handlers).open(url, timeout=5) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.reason}"
    except OSError as error:
        reason = getattr(error, "reason", error)
        return type(reason).__name__
`;

test('T582: a limited pod reaches its listed destinations through the proxy, the door, and nothing else', async () => {
  const place = `${outside}:${listed.port}`;
  const ref = await limited.push('1.0.0', `deploy: {egress: ["${place}"]}\n`);
  expect(await limited.deploy(ref, target)).toMatchObject(done);
  const urls = [`http://${place}`, `http://${outside}:${other.port}`];
  const { hostname, port } = new URL(stage.config['service_url'] ?? '');
  expect(
    await limited.inside(`${helpers}
def look():
    proxy = os.environ["HTTP_PROXY"]
    at = urlsplit(proxy)
    stranger = proxy.replace(at.password, "x" * 43)
    another = proxy.replace(at.username, "00000000-0000-4000-8000-000000000000")
    def named(host):
        try:
            return socket.gethostbyname(host)
        except OSError:
            return "no name"
    return {
        "through the proxy": [get(url, proxy) for url in ${JSON.stringify(urls)}],
        "with another's credential": [get(${JSON.stringify(urls[0])}, one) for one in (stranger, another, f"http://{at.hostname}:{at.port}")],
        "past the proxy": get("http://${cluster.host}:${near.port}", ""),
        "the door": opens("${hostname}", ${port}),
        "the API server": opens(os.environ["KUBERNETES_SERVICE_HOST"], int(os.environ["KUBERNETES_SERVICE_PORT"])),
        "names": named("kubernetes.default.svc.cluster.local"),
    }
`),
  ).toEqual({
    'through the proxy': [
      'listed',
      `403 ${outside}:${other.port} is not in deploy.egress of agent.yaml; add "${outside}:${other.port}" to that list`,
    ],
    "with another's credential": Array.from({ length: 3 }, () => '407 No agent has this credential'),
    'past the proxy': 'ConnectionRefusedError',
    'the door': true,
    'the API server': false,
    names: 'no name',
  });
  await expect
    .poll(async () => (await admin.call('agents.status', { params: { name: 'limited' } })).refused_egress)
    .toMatchObject([{ destination: `${outside}:${other.port}`, count: 1 }]);
}, 300_000);

test('an agent without limits reaches what its pod reaches, in the same namespace', async () => {
  await stage.app.governed(sql`update org set agent_egress = 'open' returning id`);
  const free = prober(admin, 'free');
  expect(await free.deploy(await free.push('1.0.0', ''), target)).toMatchObject(done);
  expect(await admin.call('agents.status', { params: { name: 'free' } })).toMatchObject({ egress: null });
  const code = `${helpers}\nlook = lambda: get("http://${cluster.host}:${near.port}")\n`;
  expect(await free.inside(code)).toBe('near');
}, 300_000);

test('after its agent was stopped, the credential opens nothing', async () => {
  const kept = String(await limited.inside('import os\nlook = lambda: os.environ["HTTP_PROXY"]'));
  const { username, password } = new URL(kept);
  const asked = async () => {
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    const { promise, resolve, reject } = Promise.withResolvers<number>();

    request({
      host: cluster.host,
      port: testConfig().egress_port,
      path: `http://${outside}:${listed.port}/`,
      headers: { 'proxy-authorization': authorization },
    })
      .on('response', (answer) => resolve(answer.resume().statusCode ?? 0))
      .on('error', reject)
      .end();
    return await promise;
  };
  expect(await asked()).toBe(200);
  await admin.call('agents.delete', { params: { name: 'limited' } });
  await expect.poll(asked, { timeout: 60_000 }).toBe(403);
});
