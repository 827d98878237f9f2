// Hosted MCP servers as programs of this machine, instead of containers: the streams are real, the walls are not.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cloneEnvironment } from '../../../../setup/config.js';
import { ensureUv, uvEnvironment } from '../../../../setup/packages/python.js';
import type { HostedPlugs, ProgramSpec } from '../../agents/tools/hosted/plugs.ts';

export const side_script = join(import.meta.dirname, 'side_server.py');

export interface SideProgramsOfTest extends HostedPlugs {
  /** Those that run. */
  running: Map<string, ProgramSpec>;
  /** What was asked of the builder, in order. */
  built: string[];
  /** The images that the engine has. */
  images: Set<string>;
  base_image: string;
  /** The digest of an image follows from its lock and this. */
  salt: string;
}

export async function sideProgramsOfTest(): Promise<SideProgramsOfTest> {
  const uv = await ensureUv(() => {});
  const environment = { ...cloneEnvironment(), ...(await uvEnvironment()) };
  // Started without uv: a kill of uv would leave the program running.
  const { stdout: python } = await promisify(execFile)(uv, ['python', 'find'], { env: environment });
  const processes = new Map<string, ChildProcess>();
  const made: SideProgramsOfTest = {
    running: new Map(),
    built: [],
    images: new Set(),
    base_image: 'sha256:base',
    salt: '',
    builder: {
      baseImage: async () => await Promise.resolve(made.base_image),
      lock: async ({ name, version }) => {
        made.built.push(`lock ${name}`);
        const lock = `${name}==${version} on ${made.base_image}`;
        return await Promise.resolve({ base_image: made.base_image, python: '3.11.2', lock, npm_lock: null });
      },
      build: async ({ name, version }, { lock }) => {
        made.built.push(`build ${name}`);
        const digest = `sha256:${Buffer.from(`${lock}${made.salt}`).toString('hex')}`;
        made.images.add(digest);
        return await Promise.resolve({ digest, components: [{ name, version }] });
      },
      has: async (digest) => await Promise.resolve(made.images.has(digest)),
    },
    runner: {
      start: async (spec) => {
        const child = spawn(python.trim(), [side_script, ...spec.args], {
          env: { ...environment, ...spec.variables, ...spec.secrets },
        });
        await once(child, 'spawn');
        processes.set(spec.id, child);
        made.running.set(spec.id, spec);
        // An end closes the pipe. The reader of the output learns of it.
        child.stdin.on('error', () => {});
        return {
          write: (text) => void child.stdin.write(text),
          output: both(child),
          whyEnded: async () => {
            if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
            return `it ended with exit code ${child.exitCode}`;
          },
          close: () => {
            for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
          },
        };
      },
      remove: async (id) => {
        const child = processes.get(id);
        child?.kill('SIGKILL');
        child?.stdout?.destroy();
        child?.stderr?.destroy();
        processes.delete(id);
        made.running.delete(id);
        await Promise.resolve();
      },
      list: async () => await Promise.resolve([...made.running.keys()]),
    },
  };
  return made;
}

async function* both({ stdout, stderr }: ChildProcess) {
  const chunks: { from: 'stdout' | 'stderr'; bytes: Buffer }[] = [];
  let wake = () => {};
  let open = 0;
  for (const [from, stream] of [['stdout', stdout] as const, ['stderr', stderr] as const]) {
    if (stream === null) continue;
    open += 1;
    stream.on('data', (bytes: Buffer) => {
      chunks.push({ from, bytes });
      wake();
    });
    stream.on('close', () => {
      open -= 1;
      wake();
    });
  }
  for (;;) {
    for (let next = chunks.shift(); next !== undefined; next = chunks.shift()) yield next;
    if (open === 0) return;
    await new Promise<void>((resolve) => (wake = resolve));
  }
}
