import { Problem } from '@gantry/contract/problems.ts';
import Docker from 'dockerode';
import type { Agent } from 'node:http';
import { sshAgent, type SshPlace } from './ssh.ts';

/** The oldest engine API with all used calls. Debian 12's engine has it. */
const oldestApi = [1, 41] as const;

const default_socket = '/var/run/docker.sock';

export interface Engine {
  docker: Docker;
  /** Every object of this service in the engine has this id. The service changes no other objects. */
  installation_id: string;
}

export interface EngineVersion {
  version: string;
  api_version: string;
  os: string;
  architecture: string;
}

/**
 * Makes a client without I/O. `docker_host` is `unix:///path`, `tcp://host:port`, or `ssh://user@host[:port][/path of the socket]`. With `tls`,
 * only an engine whose certificate `ca` signed. With `ssh`, only a machine with this key.
 */
export function connectEngine({
  docker_host = `unix://${default_socket}`,
  installation_id,
  tls,
  ssh,
}: {
  docker_host?: string;
  installation_id: string;
  tls?: { ca: string | undefined; cert: string; key: string };
  ssh?: Pick<SshPlace, 'fingerprint' | 'private_key'>;
}): Engine {
  const url = new URL(docker_host);
  if (url.protocol === 'unix:') return { docker: new Docker({ socketPath: url.pathname }), installation_id };
  const { hostname: host } = url;
  if (ssh !== undefined) {
    const place = { host, port: Number(url.port || 22), username: decodeURIComponent(url.username) };
    const agent = sshAgent({ ...place, ...ssh, socket: url.pathname.length > 1 ? url.pathname : default_socket });
    const options: Docker.DockerOptions & { agent: Agent } = { protocol: 'http', host: 'engine', port: 80, agent };
    return { docker: new Docker(options), installation_id };
  }
  const docker =
    tls === undefined
      ? new Docker({ protocol: 'http', host, port: Number(url.port || 2375) })
      : new Docker({ protocol: 'https', host, port: Number(url.port || 2376), ...tls });
  return { docker, installation_id };
}

/** Asks the engine for its version. Throws `engine_unavailable` when it does not answer within 5 s or is too old. */
export async function pingEngine({ docker }: Engine, signal?: AbortSignal): Promise<EngineVersion> {
  const found = await ask(docker.version(), { seconds: 5, signal });
  const [major = 0, minor = 0] = found.ApiVersion.split('.').map(Number);
  if (major < oldestApi[0] || (major === oldestApi[0] && minor < oldestApi[1])) {
    throw new Problem('engine_unavailable', {
      detail: `The container engine ${found.Version} has API ${found.ApiVersion}; the oldest supported API is ${oldestApi.join('.')}`,
      hint: 'Update the container engine.',
    });
  }
  return { version: found.Version, api_version: found.ApiVersion, os: found.Os, architecture: found.Arch };
}

/**
 * Awaits one call to the engine, for at most `seconds` (60) or until the signal. Throws `engine_unavailable` without a connection
 * or without an answer in time.
 */
export async function ask<T>(
  call: Promise<T>,
  { seconds = 60, signal }: { seconds?: number; signal?: AbortSignal | undefined } = {},
): Promise<T> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(silent(seconds)), seconds * 1000);
  try {
    return await unlessAborted(unlessAborted(call, deadline.signal), signal);
  } catch (error) {
    if (!isConnectionFailure(error)) throw error;
    throw new Problem('engine_unavailable', {
      detail: `The container engine does not answer (${error.code === 'ESSH' ? error.message : error.code})`,
    });
  } finally {
    clearTimeout(timer);
  }
}

function silent(seconds: number): Problem {
  return new Problem('engine_unavailable', { detail: `The container engine did not answer within ${seconds} s` });
}

/** Awaits `work`, or throws the signal's reason at its abort. The work itself continues. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  // Removed, because a signal may exist as long as the service.
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** True when the engine answered with this HTTP status. */
export function answered(error: unknown, status: number): boolean {
  return error instanceof Error && 'statusCode' in error && error.statusCode === status;
}

/** Returns undefined when the engine answers with the given status, which means an unchanged state. */
export async function unless<T>(status: number, call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (answered(error, status)) return undefined;
    throw error;
  }
}

/** Codes of Node and of OpenSSL for a certificate or a key that cannot be read, or that one side does not accept. */
const tlsFailure = /^(?:EPROTO|ERR_SSL_|ERR_TLS_|ERR_OSSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;

function isConnectionFailure(error: unknown): error is Error & { code: string } {
  const codes = [
    'ESSH',
    'ENOENT',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'EACCES',
    'ENOTFOUND',
    'EHOSTUNREACH',
    'ETIMEDOUT',
  ];
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return codes.includes(error.code) || tlsFailure.test(error.code);
}
