// A request of the service itself to one instance: for its health and load, or to take no more calls.
import { request } from 'undici';
import { unlessAborted } from '../../../assets/docker/client.ts';
import { readObject } from '../targets/read-object.ts';
import type { AgentConnections } from './agent-connections.ts';
import type { ProvenAddress } from './proven-client.ts';

interface InstanceQuestion {
  method: 'GET' | 'POST';
  path: '/health' | '/drain';
  timeout_ms: number;
  signal: AbortSignal;
}

interface InstanceAnswer {
  status: number;
  /** Hostile input. Empty for anything but a JSON object. */
  body: Record<string, unknown>;
}

/**
 * Asks on a connection on which the instance has proven itself, so no other server gets the secret or answers for it. Undefined without an
 * answer: the instance is starting, hung or gone.
 */
export async function askInstance(
  connections: AgentConnections,
  instance: ProvenAddress,
  { method, path, timeout_ms, signal: stopping }: InstanceQuestion,
): Promise<InstanceAnswer | undefined> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeout_ms)]);
  const { headers } = await instance.reach();
  try {
    const asked = request(instance.url + path, {
      dispatcher: connections.to(instance),
      method,
      headers: { ...headers, 'x-svc-ingress-secret': instance.secret },
      signal,
    });
    // A request that waits for a proof does not end with its signal.
    const { statusCode: status, body } = await unlessAborted(asked, signal);
    return { status, body: await readObject(body) };
  } catch {
    stopping.throwIfAborted();
    return undefined;
  }
}
