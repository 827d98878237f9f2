// What runs beside the service: a page outside for the servers that read pages, and the servers that the service cannot host, as others run them.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { ensureUv, uvEnvironment } from '../../setup/packages/python.js';
import { freePort } from '../../server/src/testing/servers/free-port.ts';
import { environment } from '../config.ts';
import { outsideMachine } from '../outside-machine.ts';
import { browserServer, fetchServer, gitServer, type PublicServer } from './public-servers.ts';

const run = promisify(execFile);

const page = `
const [address] = process.argv.slice(1);
require('node:http').createServer((asked, answer) => {
  if (asked.url === '/robots.txt') return answer.writeHead(404).end();
  answer.setHeader('content-type', 'text/html');
  answer.end('<!doctype html><title>Kettle</title><body><article><h1>Kettle</h1><p>The kettle sings at noon, and everybody hears it.</p></article>');
}).listen(8080, address);
`;

export interface OutsidePrograms {
  servers: PublicServer[];
  /** `host:port` of the servers on this machine. */
  private_hosts: string[];
  stop(): Promise<void>;
}

export async function outsidePrograms(): Promise<OutsidePrograms> {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-tools-'));
  const machine = await outsideMachine();
  const started: ChildProcess[] = [];
  const stop = async () => {
    for (const child of started) await ended(child);
    await machine.remove();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const page_url = `http://${machine.address}:8080/`;
    started.push(machine.spawn([process.execPath, '-e', page, machine.address], {}));
    const [browser_port, git_port] = [await freePort(), await freePort()];
    const repository = await repositoryIn(folder);
    started.push(browserProgram(browser_port, folder), await gitProgram(git_port));
    for (const url of [page_url, mcpUrl(browser_port), mcpUrl(git_port)]) await answers(url);
    return {
      servers: [
        fetchServer(page_url),
        browserServer(mcpUrl(browser_port), page_url),
        gitServer(mcpUrl(git_port), repository),
      ],
      private_hosts: [browser_port, git_port].map((port) => `127.0.0.1:${port}`),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const mcpUrl = (port: number) => `http://127.0.0.1:${port}/mcp`;

function browserProgram(port: number, folder: string): ChildProcess {
  const version = 'playwright-mcp@npm:@playwright/mcp@0.0.83';
  // Else it answers only requests to the name localhost.
  const served = ['--host', '127.0.0.1', '--port', String(port), '--allowed-hosts', '*'];
  const browser = ['--headless', '--isolated', '--no-sandbox', '--executable-path', '/usr/bin/chromium'];
  const command = ['exec', '--yes', '--', version, ...served, ...browser];
  return inGroup('npm', command, { cwd: folder, env: { ...environment(), HOME: folder } });
}

/** Over its standard streams it speaks with mcp-proxy, which gives it an address. */
async function gitProgram(port: number): Promise<ChildProcess> {
  const uv = await ensureUv(() => {});
  const git_server = [uv, 'tool', 'run', 'mcp-server-git@2026.10.19'];
  const command = [
    'tool',
    'run',
    'mcp-proxy@0.13.0',
    '--pass-environment',
    '--port',
    String(port),
    '--',
    ...git_server,
  ];
  return inGroup(uv, command, {
    env: { ...environment(), ...(await uvEnvironment()) },
  });
}

/** In a process group of its own, because a launcher does not pass on every signal. */
function inGroup(program: string, args: string[], options: { cwd?: string; env: NodeJS.ProcessEnv }): ChildProcess {
  return spawn(program, args, { ...options, detached: true, stdio: ['ignore', 'ignore', 'inherit'] });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'exit');
  if (child.spawnargs[0]?.endsWith('ip') === true) child.kill();
  else process.kill(-child.pid, 'SIGTERM');
  await closed;
}

async function repositoryIn(folder: string): Promise<string> {
  const repository = join(folder, 'repository');
  const git = async (...words: string[]) => await run('git', words);
  await git('init', '--quiet', repository);
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  await git('-C', repository, ...author, 'commit', '--quiet', '--allow-empty', '-m', 'the first commit');
  return repository;
}

async function answers(url: string): Promise<void> {
  const ask = async () => await fetch(url, { signal: AbortSignal.timeout(2000) });
  await vi.waitFor(ask, { timeout: 240_000, interval: 500 });
}
