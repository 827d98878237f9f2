// What a limited pod gets, and the program that tries it, against listeners of this machine. e2e/kubernetes/egress.test.ts has a real policy.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gate_open, limitedPod, limitsOf } from './limits.ts';

const by_address = { service_url: 'https://10.0.0.5:4490', proxy_url: 'http://10.0.0.5:4491' };
const names: Record<string, string[]> = {
  'door.example.com': ['192.0.2.1', '2001:db8::1'],
  'gantry.platform.svc': ['10.1.0.7'],
};
const lookup = async (host: string) => await Promise.resolve(names[host] ?? []);
const tcp = (port: number) => [{ port, protocol: 'TCP' }];

test('a pod reaches the addresses of the door and of the proxy, at their ports, and asks no server of names', async () => {
  const limits = await limitsOf(by_address, lookup);
  const to = [{ ipBlock: { cidr: '10.0.0.5/32' } }];
  expect(limits).toMatchObject({
    egress: [
      { to, ports: tcp(4490) },
      { to, ports: tcp(4491) },
    ],
    aliases: [],
  });
  expect(limitedPod(limits, 'the image')).toMatchObject({
    dnsPolicy: 'None',
    dnsConfig: { nameservers: ['127.0.0.1'] },
    initContainers: [{ name: 'limits', image: 'the image' }],
  });
});

test('the names of both are in the file of hosts, and a Service is named by its namespace', async () => {
  const ways = { service_url: 'https://door.example.com', proxy_url: 'http://gantry.platform.svc:4491' };
  const limits = await limitsOf(ways, lookup);
  expect(limits.egress).toEqual([
    { to: [{ ipBlock: { cidr: '192.0.2.1/32' } }, { ipBlock: { cidr: '2001:db8::1/128' } }], ports: tcp(443) },
    {
      to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'platform' } } }],
      ports: tcp(4491),
    },
  ]);
  expect(limitedPod(limits, 'the image').hostAliases).toEqual([
    { ip: '192.0.2.1', hostnames: ['door.example.com'] },
    { ip: '2001:db8::1', hostnames: ['door.example.com'] },
    { ip: '10.1.0.7', hostnames: ['gantry.platform.svc'] },
  ]);
});

test('a name without an address is refused: no policy can name it', async () => {
  const ways = { ...by_address, proxy_url: 'http://nowhere.example.com:4491' };
  await expect(limitsOf(ways, lookup)).rejects.toMatchObject({
    code: 'engine_unavailable',
    detail: expect.stringContaining('nowhere.example.com'),
  });
});

let door: { server: Server; port: number };
let other: { server: Server; port: number };
beforeAll(async () => void ([door, other] = [await listen(), await listen()]));
afterAll(() => {
  door?.server.close();
  other?.server.close();
});

async function listen(): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port }; // it listens on TCP
}

/** The program of the init container, with one second to wait, where the API server is at this port. */
async function tried(ports: { door: number; api: number }): Promise<{ code: number; output: string }> {
  const service_url = `https://127.0.0.1:${ports.door}`;
  const [gate] = limitedPod(await limitsOf({ ...by_address, service_url }), 'the image').initContainers ?? [];
  const [program = '', ...words] = gate?.command ?? [];
  const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(ports.api) };
  const { promise, resolve } = Promise.withResolvers<{ code: number; output: string }>();
  const child = execFile(program, [...words.slice(0, -1), '1'], { env }, (_, output) =>
    resolve({ code: child.exitCode ?? -1, output }),
  );
  return await promise;
}

test('the program that tries it ends well only where the door is reached and the API server is not', async () => {
  // Nothing listens at port 1.
  expect(await tried({ door: door.port, api: 1 })).toEqual({ code: 0, output: '' });
  expect(await tried({ door: door.port, api: other.port })).toEqual({
    code: gate_open,
    output: expect.stringContaining('nothing in the cluster enforces the policy'),
  });
  // A pod without any network has proven nothing.
  expect(await tried({ door: 1, api: 1 })).toEqual({
    code: 1,
    output: expect.stringContaining('does not reach the door'),
  });
});
