// The engine's socket on another machine, through SSH. One session carries all requests; each request is a channel of its own to the socket. The
// user there needs the right to open the socket, and no program.
import { createHash } from 'node:crypto';
import { Agent } from 'node:http';
import type { Duplex } from 'node:stream';
import { Client } from 'ssh2';

export interface SshPlace {
  host: string;
  port: number;
  username: string;
  /** The engine's socket there. */
  socket: string;
  /** `SHA256:…` of the machine's key. A machine with another key gets nothing. */
  fingerprint: string;
  /** PEM or OpenSSH, without a passphrase. */
  private_key: string;
}

type Callback = (error: Error | null, stream: Duplex) => void;

const ready_ms = 10_000;
const keepalive_ms = 15_000;

export function sshAgent(place: SshPlace): Agent {
  let session: Promise<Client> | undefined;

  function connected(): Promise<Client> {
    session ??= open(place, () => (session = undefined));
    return session;
  }

  async function give(callback: Callback): Promise<void> {
    let stream: Duplex;
    try {
      stream = await channel(await connected(), place.socket);
    } catch (error) {
      callback(error as Error, undefined as unknown as Duplex); // both functions throw errors, and Node reads no stream beside one
      return;
    }
    callback(null, stream);
  }

  class SshAgent extends Agent {
    override createConnection(_: object, callback: Callback): undefined {
      void give(callback);
    }
  }
  return new SshAgent();
}

async function open(
  { host, port, username, fingerprint, private_key }: SshPlace,
  onClose: () => void,
): Promise<Client> {
  const client = new Client();
  const { promise, resolve, reject } = Promise.withResolvers<Client>();
  client.once('ready', () => resolve(client));
  client.on('error', reject);
  client.once('close', () => {
    onClose();
    reject(failure('the connection ended'));
  });
  try {
    client.connect({
      host,
      port,
      username,
      privateKey: private_key,
      readyTimeout: ready_ms,
      keepaliveInterval: keepalive_ms,
      hostVerifier: (key: Buffer) => fingerprintOf(key) === fingerprint,
    });
  } catch (error) {
    // A key that is no key.
    reject(error instanceof Error ? error : failure(String(error)));
    onClose();
  }
  return await promise.catch((error: unknown) => {
    onClose();
    throw failure(error instanceof Error ? error.message : String(error));
  });
}

async function channel(client: Client, socket: string): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  client.openssh_forwardOutStreamLocal(socket, (error, stream) =>
    error === undefined ? resolve(stream) : reject(failure(`${socket} is not open to the user: ${error.message}`)),
  );
  return await promise;
}

/** As `ssh-keygen -l` prints it. */
function fingerprintOf(key: Buffer): string {
  // Without the padding, which is one character for 32 bytes.
  return `SHA256:${createHash('sha256').update(key).digest('base64').slice(0, -1)}`;
}

/** Read as a lost connection (client.ts). */
const failure = (message: string) => Object.assign(new Error(message), { code: 'ESSH' });
