import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Running {
  /** Waits until it listens. */
  start(): Promise<void>;
  /** SIGTERM, like an operator's restart; SIGKILL, like a crash. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** A server in a separate process, which tests stop, kill and start again. */
export function running(launch: () => ChildProcess, port: number): Running {
  let child: ChildProcess | undefined;
  return {
    start: async () => {
      child = launch();
      if (!(await answersAt(port, { child, seconds: 10 }))) throw new Error(`nothing listens on ${port}`);
    },
    end: async (signal) => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, 'exit');
    },
  };
}

/** False when the process has ended, or nothing listens after these seconds. */
export async function answersAt(
  port: number,
  { child, seconds }: { child: ChildProcess; seconds: number },
): Promise<boolean> {
  const deadline = performance.now() + seconds * 1000;
  while (!(await answers(port))) {
    if (performance.now() > deadline || child.exitCode !== null) return false;
    await sleep(20);
  }
  return true;
}

async function answers(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false; // not listening yet
  } finally {
    socket.destroy();
  }
}
