// The compared gateways, each in its newest version and with its own defaults. They are installed into the cache, never among the project's
// packages. A peer that does not start is a row with the reason.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environment } from '../../e2e/config.ts';
import { urlOf } from '../../e2e/url-of.ts';
import type { Embedded } from '../../server/src/ground/database/embedded.ts';
import { openDatabase } from '../../server/src/ground/database/database.ts';
import { freePort } from '../../server/src/testing/servers/free-port.ts';
import { runCommand, tail } from '../../setup/command.js';
import { outsideEnvironment } from '../../setup/config.js';
import { findExecutable } from '../../setup/executable.js';
import { install, install_seconds, installPython, output, peers_folder, versionOf } from '../load/python-peer.ts';
import { startProgram, type Program } from './program.ts';
import { price, type ModelName, type Way } from './way.ts';

export interface Peer {
  name: string;
  way: Way;
  /** What it lacks beside its usual installation. */
  note?: string | undefined;
  /** A key under this budget in USD; absent for one that has no budgets here. */
  limitedKey?: ((max_usd: string) => Promise<string>) | undefined;
  stop(): Promise<void>;
}

interface Place {
  directory: string;
  postgres: Embedded;
  /** The address of the mock. */
  upstream: string;
}

const pathOf = (model: ModelName) => (model === 'm' ? '/v1' : '/slow/v1');

export async function startNginx({ directory, upstream }: Place): Promise<Peer> {
  const program = findExecutable('nginx', [...(environment().PATH ?? '').split(':'), '/usr/sbin']);
  if (program === undefined) throw new Error('the program nginx is missing');
  const port = await freePort();
  const at = join(directory, 'nginx');
  await mkdir(at);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((one) => `${one}_temp_path ${at}/${one};`);
  const as_root = process.getuid?.() === 0 ? 'user root;' : '';
  await writeFile(
    join(at, 'nginx.conf'),
    `${as_root} daemon off; worker_processes auto; pid ${at}/nginx.pid; error_log stderr crit; events {}
http {
  access_log off; ${temporary.join(' ')}
  upstream model { server ${new URL(upstream).host}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://model; proxy_http_version 1.1; proxy_set_header connection ""; }
  }
}
`,
  );
  const argv: [string, ...string[]] = [program, '-c', join(at, 'nginx.conf'), '-e', 'stderr'];
  const started = await startProgram({ argv, env: environment(), port, log_file: join(directory, 'nginx.log') });
  return peerOf('nginx', started, { path: (model) => `${pathOf(model)}/chat/completions`, headers: () => ({}) });
}

export async function startPortkey({ directory, upstream }: Place): Promise<Peer> {
  const at = join(peers_folder, 'portkey');
  await mkdir(at, { recursive: true });
  // With its newest fitting version of this package, each stream of Portkey 1.15.2 ends in `TypeError: immutable` (Portkey-AI/gateway, issue
  // 1389).
  const overrides = { '@hono/node-server': '1.13.0' };
  await writeFile(join(at, 'package.json'), JSON.stringify({ private: true, overrides }));
  await install(['npm', 'install', '--prefix', at, '--no-audit', '--no-fund', '@portkey-ai/gateway@latest']);
  const package_folder = join(at, 'node_modules/@portkey-ai/gateway');
  const { version, bin } = JSON.parse(await readFile(join(package_folder, 'package.json'), 'utf8')) as {
    version: string;
    bin: string;
  };
  const port = await freePort();
  const started = await startProgram({
    argv: [process.execPath, join(package_folder, bin), '--headless', `--port=${port}`],
    env: environment(),
    port,
    log_file: join(directory, 'portkey.log'),
  });
  return peerOf(`Portkey ${version}`, started, {
    path: () => '/v1/chat/completions',
    headers: (model) => ({
      authorization: 'Bearer sk-bench',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': upstream + pathOf(model),
    }),
  });
}

const master_key = 'sk-bench-master';

export async function startLitellm({ directory, upstream, postgres }: Place): Promise<Peer> {
  const bin = await installPython('litellm', ['litellm[proxy]', 'prisma']);
  const version = await versionOf(bin, 'litellm');
  const fault = await prepareDatabase(bin, postgres);
  const models = (['m', 'slow'] as const).map((model_name) => ({
    model_name,
    litellm_params: {
      model: 'openai/m',
      api_base: upstream + pathOf(model_name),
      api_key: 'sk-bench',
      input_cost_per_token: Number(price.input) / 1e6,
      output_cost_per_token: Number(price.output) / 1e6,
    },
  }));
  const config_file = join(directory, 'litellm.json');
  // JSON is YAML.
  const settings = { model_list: models, general_settings: { master_key } };
  await writeFile(config_file, JSON.stringify(settings));
  const port = await freePort();
  const started = await startProgram({
    argv: [join(bin, 'litellm'), '--config', config_file, '--host', '127.0.0.1', '--port', String(port)],
    env: {
      ...environment(),
      PATH: `${bin}:${environment().PATH ?? ''}`,
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      ...(fault === undefined && { DATABASE_URL: databaseUrl(postgres) }),
    },
    port,
    ready: '/health/liveliness',
    log_file: join(directory, 'litellm.log'),
  });
  const newKey = async (max_usd: string): Promise<string> => {
    const answered = await fetch(`${started.url}/key/generate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${master_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ models: ['m', 'slow'], max_budget: Number(max_usd) }),
    });
    if (!answered.ok) throw new Error(`LiteLLM made no key: ${await answered.text()}`);
    return ((await answered.json()) as { key: string }).key;
  };
  const key = fault === undefined ? await newKey('100000') : master_key;
  const peer = peerOf(`LiteLLM ${version}`, started, {
    path: () => '/v1/chat/completions',
    headers: () => ({ authorization: `Bearer ${key}` }),
  });
  return fault === undefined
    ? { ...peer, limitedKey: newKey }
    : { ...peer, note: `without its database, so without keys and budgets: ${fault}` };
}

/** Its database and its database client. Returns the reason if there can be none. */
async function prepareDatabase(bin: string, postgres: Embedded): Promise<string | undefined> {
  const schema = join(
    await output([join(bin, 'python'), '-c', 'import litellm.proxy as p; print(list(p.__path__)[0])']),
    'schema.prisma',
  );
  const env = outsideEnvironment({ PATH: `${bin}:${environment().PATH ?? ''}` });
  const made = await runCommand([join(bin, 'prisma'), 'generate', '--schema', schema], {
    env,
    timeout_seconds: install_seconds,
  });
  if (made.exit_code !== 0) {
    // The page names no machine of this network.
    process.stderr.write(`${tail(made.output, 3)}\n`);
    return 'the program of its database client was not to be had';
  }
  const db = openDatabase(postgres.connection, { max: 1 });
  await db.run({ strings: ['create database litellm'], values: [] });
  await db.close();
  return undefined;
}

const databaseUrl = ({ connection }: Embedded) => urlOf({ ...connection, database: 'litellm' });

function peerOf(name: string, program: Program, { path, headers }: Pick<Way, 'path' | 'headers'>): Peer {
  const way = { urls: [program.url], path, headers, pids: [program.pid] };
  return { name, way, stop: async () => await program.stop() };
}
