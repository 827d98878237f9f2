// The chart on the cluster, as an operator installs it: a PostgreSQL and a worker with an engine on this machine, everything else in pods. A proxy of
// the test leads one address to the Services, as nginx does.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { writeImage } from '../../packaging/image/write-image.ts';
import type { Connection } from '../../server/src/ground/database/database.ts';
import { startEmbedded } from '../../server/src/ground/database/embedded.ts';
import { removeLeftovers } from '../../server/src/testing/engine-leftovers.ts';
import { freePort } from '../../server/src/testing/servers/free-port.ts';
import { environment } from '../config.ts';
import { engineOf } from '../engine-of.ts';
import { openNamespace, type TestCluster, type TestNamespace } from './cluster.ts';
import { pushImageFile, type PushedFile } from './push-image-file.ts';

export const release = 'gantry';
const clone = resolve(import.meta.dirname, '../..');
const chart = join(clone, 'packaging/chart');
const helm_timeout_ms = 300_000;

export interface ChartStage {
  directory: string;
  url: string;
  image: PushedFile;
  /** Of the release. */
  here: TestNamespace;
  /** Of the agents. */
  agents: TestNamespace;
  /** Installs or upgrades with the values of the test, and others. Throws with the output of helm. */
  helm(words: string[], values?: object): Promise<string>;
  /** The address of the ingress Service on a node. */
  ingressUrl(): Promise<string>;
  /** After the installation. */
  startWorker(): Promise<void>;
  killWorker(): Promise<void>;
  stop(): Promise<void>;
}

export async function openChartStage(cluster: TestCluster): Promise<ChartStage> {
  const directory = await mkdtemp(join(tmpdir(), 'gantry-chart-'));
  await chmod(directory, 0o711);
  const { archive } = await writeImage({ clone, platform: 'linux/amd64', folder: join(directory, 'image') });
  const image = await pushImageFile(cluster, { archive, folder: join(directory, 'layout') });
  await rm(join(directory, 'image'), { recursive: true });
  await rm(join(directory, 'layout'), { recursive: true });
  const postgres = await startEmbedded(directory, { max_connections: 300, fsync: false });
  const database = await listen(cluster.host, join(postgres.connection.host ?? '', '.s.PGSQL.5432'));
  const { port: database_port } = database.address() as AddressInfo; // it listens on TCP
  const urlAs = (connection: Connection) => urlAt(cluster.host, database_port, connection);

  const [here, agents] = [await openNamespace(cluster), await openNamespace(cluster)];
  for (const { name } of [here, agents])
    await cluster.kubectl('label', 'namespace', name, 'pod-security.kubernetes.io/enforce=restricted');
  const metadata = (name: string) => ({ name, namespace: here.name });
  const authority = await readFile(cluster.registry.authority_file, 'utf8');
  await cluster.apply(
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadata('database'),
      stringData: { url: urlAs(postgres.app), ownerUrl: urlAs(postgres.connection) },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('authorities'), data: { 'ca.crt': authority } },
  );

  const ports = await nodePorts(cluster, here);
  const proxy = await openProxy(ports);
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const service = { type: 'NodePort' };
  const settings = { OUTBOUND_PRIVATE_HOSTS: cluster.host, LOG_LEVEL: 'warn', CALM_SECONDS: '3600' };
  const usual = {
    url,
    image: { repository: image.repository, digest: image.digest },
    database: { secret: 'database' },
    authorities: 'authorities',
    settings,
    agents: { namespaces: [agents.name] },
    api: { service },
    ingress: { service },
    gateway: { service },
  };
  const helm: ChartStage['helm'] = async (words, values = {}) => {
    const file = join(directory, `values-${randomBytes(4).toString('hex')}.json`);
    await writeFile(file, JSON.stringify({ ...usual, ...values })); // JSON is YAML
    const program = join(inject('kubernetes_programs'), 'helm');
    const place = [`--kubeconfig=${cluster.kubeconfig}`, `--namespace=${here.name}`];
    const [verb = '', ...more] = words;
    const given = ['install', 'upgrade'].includes(verb) ? [release, chart, '--values', file] : [];
    const env = {
      ...environment(),
      HELM_CACHE_HOME: directory,
      HELM_CONFIG_HOME: directory,
      HELM_DATA_HOME: directory,
    };
    const { stdout } = await promisify(execFile)(program, [verb, ...given, ...more, ...place], {
      env,
      timeout: helm_timeout_ms,
    });
    return stdout;
  };

  let worker: ChildProcess | undefined;
  const startWorker = async () => {
    const keys = JSON.parse(await here.kubectl('get', 'secret', `${release}-keys`, '-o', 'json')) as {
      data: Record<string, string>;
    };
    const key = (name: string) => Buffer.from(keys.data[name] ?? '', 'base64').toString();
    const ca_file = join(directory, 'door-ca.crt');
    await writeFile(ca_file, key('door-ca.crt'));
    const port = await freePort();
    worker = spawn(process.execPath, [join(clone, 'server/start.js'), 'serve', '--role', 'worker'], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...environment(),
        ...settings,
        DATABASE_URL: urlAs(postgres.app),
        SECRET_KEY: key('secret-key'),
        BASE_URL: url,
        DATA_DIR: join(directory, 'worker'),
        PORT: String(port),
        DOOR_URL: `https://${release}-door.${here.name}.svc:4490`,
        DOOR_CA_FILE: ca_file,
        NODE_EXTRA_CA_CERTS: cluster.registry.authority_file,
        HOME: directory,
        XDG_CONFIG_HOME: directory,
      },
    });
    const deadline = AbortSignal.timeout(60_000);
    const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status; // it does not listen yet
    while ((await ready()) !== 200) await delay(250, undefined, { signal: deadline });
  };
  const killWorker = async () => {
    if (worker === undefined) return;
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    worker = undefined;
  };

  return {
    directory,
    url,
    image,
    here,
    agents,
    helm,
    ingressUrl: async () => (await ports('ingress')) ?? '',
    startWorker,
    killWorker,
    stop: async () => {
      await killWorker();
      proxy.close();
      await here.remove();
      await agents.remove();
      const { engine } = await engineOf({ data_dir: directory });
      await removeLeftovers(engine);
      await rm(`/dev/shm/gantry-${engine.installation_id}`, { recursive: true, force: true });
      database.close();
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

type FindUrl = (role: 'api' | 'ingress' | 'gateway') => Promise<string | undefined>;

/** The Services, at the ports of a node. Looked up when a request needs them. */
async function nodePorts(cluster: TestCluster, here: TestNamespace): Promise<FindUrl> {
  const nodes = JSON.parse(await cluster.kubectl('get', 'nodes', '-o', 'json')) as {
    items: { status: { addresses: { type: string; address: string }[] } }[];
  };
  const address = nodes.items[0]?.status.addresses.find(({ type }) => type === 'InternalIP')?.address ?? '';
  const known = new Map<string, Promise<string>>();
  return async (role) => {
    const asked = async () =>
      `http://${address}:${await here.kubectl('get', 'service', `${release}-${role}`, '-o', 'jsonpath={.spec.ports[0].nodePort}')}`;
    const found = known.get(role) ?? asked();
    known.set(role, found);
    return await found;
  };
}

/** The paths of docs/guide/nginx.conf that the tests call. */
async function openProxy(find: FindUrl): Promise<Server> {
  const ofIngress = /^\/agents\/[^/]+\/(a2a|health|input|invoke|runs|stream|threads)(\/|$)/;
  const proxy = createServer((incoming, outgoing) => {
    const pass = async () => {
      const { method = 'GET', url = '/', headers } = incoming;
      const to = await find(ofIngress.test(url) ? 'ingress' : 'api');
      const asked = request(new URL(url, to), { method, headers: { ...headers, connection: 'close' } }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      asked.on('error', () => outgoing.destroy());
      incoming.pipe(asked);
    };
    pass().catch(() => outgoing.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}

/** The embedded server has only a socket. Pods reach this machine by its address on their network. */
async function listen(host: string, socket: string): Promise<Server> {
  const server = createTcpServer((client) => {
    const upstream = connect(socket);
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  server.listen(0, host);
  await once(server, 'listening');
  return server;
}

function urlAt(host: string, port: number, { user = '', password = '', database = '' }: Connection): string {
  const url = new URL(`postgresql://${host}:${port}/${database}`);
  url.username = user;
  url.password = password;
  return url.href;
}

export async function typed(directory: string, url: string, words: string[]): Promise<string> {
  await mkdir(join(directory, 'home'), { recursive: true });
  const home = join(directory, 'home');
  const { stdout } = await promisify(execFile)(process.execPath, [join(clone, 'cli/svc.js'), ...words], {
    env: { ...environment(), HOME: home, XDG_CONFIG_HOME: home, SERVICE_URL: url },
  });
  return stdout;
}
