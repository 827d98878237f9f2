import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const engine_socket = '/var/run/docker.sock';

export interface EngineProxy {
  /** For DOCKER_HOST. */
  host: string;
  /** Breaks every connection and accepts no new one: to a client the engine has died. Its containers keep running. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** A connection to the machine's engine that a test can cut. Other tests use the engine too. `onStart` gets the name or id of each container whose start is asked for. */
export async function engineProxy({ onStart }: { onStart?: (container: string) => void } = {}): Promise<EngineProxy> {
  const directory = await mkdtemp(join(tmpdir(), 'gantry-engine-'));
  const path = join(directory, 'engine.sock');
  const sockets = new Set<Socket>();
  let server: Server | undefined;

  function pass(client: Socket): void {
    // Half open, because an attached container's input ends before its output does.
    const engine = connect({ path: engine_socket, allowHalfOpen: true });
    if (onStart !== undefined) client.on('data', (chunk: Buffer) => noteStart(chunk, onStart));
    for (const [one, other] of [
      [client, engine],
      [engine, client],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy()); // the other side gets a broken connection, as without the proxy
      one.on('close', () => sockets.delete(one));
    }
  }

  async function cut(): Promise<void> {
    const closed = new Promise<void>((done) => (server === undefined ? done() : server.close(() => done())));
    for (const socket of sockets) socket.destroy();
    await closed;
    server = undefined;
  }

  async function restore(): Promise<void> {
    const listening = createServer({ allowHalfOpen: true }, pass);
    await new Promise<void>((ready) => listening.listen(path, ready));
    server = listening;
  }

  await restore();
  const close = async () => {
    await cut();
    await rm(directory, { recursive: true });
  };
  return { host: `unix://${path}`, cut, restore, close };
}

// A request without a body is in one piece.
function noteStart(chunk: Buffer, onStart: (container: string) => void): void {
  const [, container] = /^POST \S*\/containers\/([\w.-]+)\/start[ ?]/.exec(chunk.toString('latin1')) ?? [];
  if (container !== undefined) onStart(container);
}
