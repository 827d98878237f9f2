import { Problem } from '@gantry/contract/problems.ts';
import Docker from 'dockerode';

/** The oldest engine API with all used calls. Debian 12's engine has it. */
const oldestApi = [1, 41] as const;

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

/** Makes a client without I/O. `docker_host` is `unix:///path` or `tcp://host:port`. */
export function connectEngine({
  docker_host = 'unix:///var/run/docker.sock',
  installation_id,
}: {
  docker_host?: string;
  installation_id: string;
}): Engine {
  const url = new URL(docker_host);
  if (url.protocol === 'unix:') return { docker: new Docker({ socketPath: url.pathname }), installation_id };
  return {
    docker: new Docker({ protocol: 'http', host: url.hostname, port: Number(url.port || 2375) }),
    installation_id,
  };
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
    throw new Problem('engine_unavailable', { detail: `The container engine does not answer (${error.code})` });
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

function isConnectionFailure(error: unknown): error is Error & { code: string } {
  const codes = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EACCES', 'ENOTFOUND', 'EHOSTUNREACH', 'ETIMEDOUT'];
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}
