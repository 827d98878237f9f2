// The outgoing connections of agents, tried from inside their containers. The outside is a machine with a public address and several
// listeners. Each "closed" is beside an "open", so that a broken listener fails the test too.
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type Docker from 'dockerode';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { adminOf, latestDeployment } from './api.ts';
import { callAgent, type Agent } from './call-agent.ts';
import { engineOf, type Seen } from './engine-of.ts';
import { install, type OwnInstallation } from './installation.ts';
import { outsideMachine, type OutsideMachine } from './outside-machine.ts';
import { agentYaml, writeProject } from './write-project.ts';

const prober = await readFile(join(import.meta.dirname, 'agents/prober.py'), 'utf8');

// The listeners outside: HTTP on two ports, and UDP on the port of DNS. An answer has the number of datagrams so far.
const listeners = `
const [address] = process.argv.slice(1);
let datagrams = 0;
const socket = require('node:dgram').createSocket('udp4').on('message', () => datagrams++).bind(53, address);
for (const port of [9998, 9999])
  require('node:http').createServer((asked, answer) => {
    answer.write('outside ' + port + ' ' + datagrams + ' ');
    asked.pipe(answer);
  }).listen(port, address);
`;

const resolver_file = join(tmpdir(), `gantry-resolver-${process.pid}.mjs`);
let machine: OutsideMachine;
let outside: ReturnType<OutsideMachine['spawn']>;
let gantry: OwnInstallation;
let admin: Client;
let seen: Seen;

beforeAll(async () => {
  machine = await outsideMachine();
  outside = machine.spawn([process.execPath, '-e', listeners, machine.address], {});
  const answers = async () => await fetch(`http://${machine.address}:9999`, { signal: AbortSignal.timeout(1000) });
  await vi.waitFor(answers, { timeout: 20_000, interval: 100 });
  // On every address, so that only the network can make it unreachable.
  gantry = await install({ HOST: '0.0.0.0', NODE_OPTIONS: `--import=${await resolver()}` });
  admin = await adminOf(gantry);
  seen = await engineOf(gantry);
  await gantry.must('svc team create ml');
  await gantry.must('svc org set agent_egress open');
  await project('free');
  await project('listed', ['allowed.test:9999', '*.wild.test:9998', 'inside.test:9999', `${machine.address}:9998`]);
  await project('other', ['other.test:9998']);
});
afterAll(async () => {
  await gantry?.stop();
  if (outside !== undefined) {
    outside.kill();
    await once(outside, 'close');
  }
  await machine?.remove();
  await rm(resolver_file, { force: true });
});

/** A module that gives the service the addresses of some names, and no other process. */
async function resolver(): Promise<string> {
  const names = Object.fromEntries(
    ['allowed.test', 'other.test', 'a.wild.test', 'a.b.wild.test', 'wild.test'].map((name) => [name, machine.address]),
  );
  const text = `
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
const names = ${JSON.stringify({ ...names, 'inside.test': '127.0.0.1' })};
const real = dns.lookup;
dns.lookup = async (host, options) => {
  if (names[host] === undefined) return await real(host, options);
  const found = { address: names[host], family: 4 };
  return options?.all === true ? [found] : found;
};
syncBuiltinESMExports();
`;
  await writeFile(resolver_file, text);
  return pathToFileURL(resolver_file).href;
}

async function project(name: string, egress?: string[]): Promise<void> {
  const more = egress === undefined ? '' : `deploy:\n  egress: ${JSON.stringify(egress)}\n`;
  await writeProject(gantry, name, { 'agent.py': prober, 'agent.yaml': agentYaml(name, more) });
  await gantry.must('svc deploy', { in: name });
}

async function agent(name: string): Promise<Agent> {
  return callAgent(`${gantry.url}/agents/${name}`, await gantry.token());
}

/** What `look()` returns inside the container. */
async function inside(name: string, code: string): Promise<unknown> {
  const { status, text, json } = await (await agent(name)).ask({ do: 'run python', value: helpers + code });
  if (status !== 200) throw new Error(text);
  return json.output?.result;
}

const helpers = `
import concurrent.futures, os, socket, urllib.error, urllib.parse, urllib.request
def open_one(place):
    host, port = place.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), 3).close()
        return place
    except OSError:
        return None
def reaches(places):
    with concurrent.futures.ThreadPoolExecutor(30) as pool:
        return [place for place in pool.map(open_one, places) if place]
def proxy():
    url = urllib.parse.urlparse(os.environ["HTTPS_PROXY"])
    return url.hostname, url.port
def tunnel(target):
    with socket.create_connection(proxy(), 10) as connection:
        connection.sendall(f"CONNECT {target} HTTP/1.1\\r\\nHost: {target}\\r\\n\\r\\n".encode())
        head = connection.recv(4096).decode().split("\\r\\n")[0]
        if " 200 " not in head:
            return head
        connection.sendall(b"GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
        text = b""
        while chunk := connection.recv(4096):
            text += chunk
        return " ".join(text.decode().split("outside ")[-1].split()[:1])
def get(url, key=None, data=None):
    headers = {} if key is None else {"authorization": "Bearer " + os.environ[key]}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.reason
    except (urllib.error.URLError, OSError) as error:
        return "no answer"
def gateway():
    return get(os.environ["OPENAI_BASE_URL"] + "/models", "OPENAI_API_KEY")[0]
`;

async function inspect(name: string): Promise<Docker.ContainerInspectInfo> {
  const found = (await seen.containers('agent')).find((container) => container.startsWith(`svc-${name}-`));
  return await seen.engine.docker.getContainer(found ?? '').inspect();
}

async function addressOf(name: string): Promise<string> {
  const { HostConfig, NetworkSettings } = await inspect(name);
  return NetworkSettings.Networks[HostConfig.NetworkMode ?? '']?.IPAddress ?? '';
}

/** The number of datagrams that arrived outside. */
async function datagrams(): Promise<number> {
  const answer = await fetch(`http://${machine.address}:9999`, { signal: AbortSignal.timeout(5000) });
  return Number((await answer.text()).split(' ')[2]);
}

/** Sends a query to a resolver outside and to the engine's, and looks a name up. */
const lookUpOutside = () => `
def look():
    query = bytes.fromhex("abcd01000001000000000000") + b"\\x06secret\\x04test\\x00\\x00\\x01\\x00\\x01"
    for host in (${JSON.stringify(machine.address)}, "127.0.0.11"):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
            try:
                connection.sendto(query, (host, 53))
            except OSError:
                pass
    try:
        return socket.getaddrinfo("allowed.test", 9999)[0][4][0]
    except OSError:
        return None
`;

test('while agent_egress is open, an agent without a list reaches the outside and the gateway', async () => {
  const places = [`${machine.address}:9998`, `${machine.address}:9999`];
  expect(await inside('free', `def look(): return reaches(${JSON.stringify(places)})`)).toEqual(places);
  expect(await inside('free', 'def look(): return gateway()')).toBe(200);
  expect(await inside('free', 'def look(): return "HTTPS_PROXY" in os.environ')).toBe(false);
  const before = await datagrams();
  await inside('free', lookUpOutside());
  await expect.poll(datagrams).toBe(before + 1);
});

test('a listed agent reaches the gateway and exactly its destinations, by name, through the proxy', async () => {
  expect(await inside('listed', 'def look(): return gateway()')).toBe(200);
  const refused = (place: string) =>
    `HTTP/1.1 403 ${place} is not in deploy.egress of agent.yaml; add "${place}" to that list`;
  const targets = {
    'allowed.test:9999': '9999',
    'ALLOWED.test:9999': '9999',
    'a.wild.test:9998': '9998',
    'a.b.wild.test:9998': '9998',
    [`${machine.address}:9998`]: '9998',
    // Another port, host or spelling, and the list of another agent.
    'allowed.test:9998': refused('allowed.test:9998'),
    'wild.test:9998': refused('wild.test:9998'),
    'notwild.test:9998': refused('notwild.test:9998'),
    [`${machine.address}:9999`]: refused(`${machine.address}:9999`),
    'other.test:9998': refused('other.test:9998'),
    '169.254.169.254:80': refused('169.254.169.254:80'),
    'localhost:9999': refused('localhost:9999'),
    'allowed.test.:9999': refused('allowed.test.:9999'),
    // It is listed, and leads to this machine.
    'inside.test:9999':
      'HTTP/1.1 403 inside.test:9999 has no address outside this machine and private networks; an operator can list it: svc server set OUTBOUND_PRIVATE_HOSTS+=inside.test:9999',
  };
  const asked = Object.keys(targets);
  const code = `def look(): return [tunnel(target) for target in ${JSON.stringify(asked)}]`;
  expect(await inside('listed', code)).toEqual(Object.values(targets));
  expect(await inside('other', `def look(): return [tunnel("other.test:9998"), tunnel("allowed.test:9999")]`)).toEqual([
    '9998',
    refused('allowed.test:9999'),
  ]);
});

test('clients find the proxy by themselves, also without TLS and with a body, and read why it refused', async () => {
  const code = `def look(): return [get("http://allowed.test:9999/", data=b"a body"), get("http://allowed.test:9998/"), get("https://allowed.test:9998/")]`;
  expect(await inside('listed', code)).toEqual([
    [200, expect.stringMatching(/^outside 9999 \d+ a body$/)],
    [403, 'allowed.test:9998 is not in deploy.egress of agent.yaml; add "allowed.test:9998" to that list'],
    'no answer',
  ]);
  const told = async () => (await gantry.must('svc status listed')).output;
  await expect.poll(told, { timeout: 20_000 }).toMatch(/refused {2}allowed\.test:9998 is not in deploy\.egress/);
});

test('past the proxy a listed agent reaches nothing: no address, no port of this machine, no sibling and no resolver', async () => {
  const { HostConfig } = await inspect('listed');
  expect(HostConfig).toMatchObject({ CapDrop: ['ALL'], CapAdd: null, Dns: ['127.0.0.1'] });
  const [gateway, port] = String(await inside('listed', 'def look(): return ":".join(map(str, proxy()))')).split(':');
  const sibling = await addressOf('other');
  const api = `${gateway}:${new URL(gantry.url).port}`;
  const places = [
    `${machine.address}:9998`,
    `${machine.address}:9999`,
    `${sibling}:8080`,
    `${await addressOf('free')}:8080`,
    api,
    '169.254.169.254:80',
    '10.255.255.1:80',
    `${gateway}:${port}`,
  ];
  expect((await fetch(`http://${api}/readyz`)).status).toBe(200);
  expect((await fetch(`http://${sibling}:8080/health`)).status).toBe(200);
  expect(await inside('listed', `def look(): return reaches(${JSON.stringify(places)})`)).toEqual([
    `${gateway}:${port}`,
  ]);
  const before = await datagrams();
  expect(await inside('listed', lookUpOutside())).toBeNull();
  expect(await datagrams()).toBe(before);
});

test('a container cannot use the address of another one, and an unknown sender reaches nothing', async () => {
  const forged = await inside(
    'listed',
    `
def look():
    found = []
    for address in (${JSON.stringify(await addressOf('other'))}, socket.gethostbyname(socket.gethostname())):
        with socket.socket() as connection:
            connection.setsockopt(socket.IPPROTO_IP, 15, 1) # IP_FREEBIND
            try:
                connection.bind((address, 0))
                connection.settimeout(3)
                connection.connect(proxy())
                found.append("connected")
            except OSError as error:
                found.append(error.strerror or "timed out")
    for family, protocol in ((socket.AF_INET, socket.IPPROTO_TCP), (socket.AF_PACKET, 0x0300)):
        try:
            socket.socket(family, socket.SOCK_RAW, protocol).close()
            found.append("raw")
        except OSError as error:
            found.append(error.strerror)
    return found
`,
  );
  // Kernels refuse the foreign address with different errors.
  expect(forged).toEqual([
    expect.stringMatching(/^(Invalid argument|Network is unreachable|Cannot assign requested address)$/),
    'connected',
    'Operation not permitted',
    'Operation not permitted',
  ]);
  // This machine itself is no container.
  const proxy = String(await inside('listed', 'def look(): return os.environ["HTTP_PROXY"]'));
  const { hostname, port } = new URL(proxy);
  const asked = request({ host: hostname, port, path: 'http://allowed.test:9999/' }).end();
  const [answer] = (await once(asked, 'response')) as [{ statusCode: number; statusMessage: string; resume(): void }];
  answer.resume();
  expect(answer).toMatchObject({ statusCode: 403, statusMessage: 'This container is unknown to the service' });
});

test('after a change of the setting, status names the agents outside it, and the next deploy follows it', async () => {
  await gantry.must('svc org set agent_egress listed');
  expect((await gantry.must('svc status free')).output).toMatch(
    /outside the setting {2}It was deployed under another setting and reaches the whole internet; agent_egress is listed now\. Deploy it again: svc deploy agents\/free@1\.0\.0 --force/,
  );
  expect((await admin.call('agents.status', { params: { name: 'listed' } })).outside_setting).toBeNull();
  await gantry.must('svc deploy agents/free@1.0.0 --force');
  const place = `${machine.address}:9999`;
  expect(await inside('free', `def look(): return [reaches(["${place}"]), tunnel("${place}"), gateway()]`)).toEqual([
    [],
    `HTTP/1.1 403 ${place} is not in deploy.egress of agent.yaml; add "${place}" to that list`,
    200,
  ]);
});

test('gateway_only: an agent reaches the gateway alone, and a list is refused with the reason', async () => {
  await gantry.must('svc org set agent_egress gateway_only');
  const refused = await gantry.type('svc deploy agents/listed@1.0.0 --force');
  expect(refused.code).toBe(1);
  expect(refused.output).toContain('agents of this organisation reach only the model gateway');
  expect((await latestDeployment(admin, 'listed')).state).toBe('done');
  await project('closed');
  const places = [`${machine.address}:9999`, `${await addressOf('free')}:8080`];
  expect(
    await inside(
      'closed',
      `def look(): return [gateway(), reaches(${JSON.stringify(places)}), tunnel("allowed.test:9999")]`,
    ),
  ).toEqual([
    200,
    [],
    'HTTP/1.1 403 allowed.test:9999 is not in deploy.egress of agent.yaml; add "allowed.test:9999" to that list',
  ]);
});

test('a restart of the service keeps the lists', async () => {
  await gantry.must('svc server stop');
  await gantry.must('svc server start');
  const code = 'def look(): return [tunnel("allowed.test:9999"), tunnel("other.test:9998")]';
  const asked = async () => await inside('listed', code).catch((error: unknown) => String(error));
  await expect
    .poll(asked, { timeout: 60_000, interval: 1000 })
    .toEqual([
      '9999',
      'HTTP/1.1 403 other.test:9998 is not in deploy.egress of agent.yaml; add "other.test:9998" to that list',
    ]);
});
