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
      const deadline = performance.now() + 10_000;
      while (!(await answers(port))) {
        if (performance.now() > deadline || child.exitCode !== null) throw new Error(`nothing listens on ${port}`);
        await sleep(20);
      }
    },
    end: async (signal) => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, 'exit');
    },
  };
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
