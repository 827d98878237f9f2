// A second container engine on this machine, with images and ids of its own. It has no default network.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEngine } from '../../../setup/start-engine.js';
import { connectEngine, pingEngine, type Engine } from '../engine/client.ts';

export interface SecondEngine {
  engine: Engine;
  stop(): Promise<void>;
}

export async function startSecondEngine(): Promise<SecondEngine> {
  const directory = await mkdtemp(join(tmpdir(), 'gantry-engine-'));
  const docker_host = `unix://${join(directory, 'engine.sock')}`;
  const engine = connectEngine({ docker_host, installation_id: crypto.randomUUID() });
  const folders = ['data-root', 'exec-root', 'pidfile'].map((name) => `--${name}=${join(directory, name)}`);
  const pid = await startEngine({
    dockerd: 'dockerd',
    args: ['--host', docker_host, ...folders, '--bridge=none', '--iptables=false', '--ip6tables=false'],
    logFile: join(directory, 'log'),
    pidFiles: [],
    answers: async () =>
      await pingEngine(engine).then(
        () => true,
        () => false,
      ),
    deadline_seconds: 30,
  });
  return {
    engine,
    stop: async () => {
      if (pid === undefined) throw new Error('the second engine has no process');
      process.kill(pid);
      while (isAlive(pid)) await delay(50);
      await rm(directory, { recursive: true });
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
