import { z } from 'zod';
import type { AgentConnections } from '../connections/agent-connections.ts';
import { askInstance } from '../connections/ask-instance.ts';
import type { ProvenAddress } from '../connections/proven-client.ts';

const health = z.object({
  status: z.enum(['starting', 'ready', 'failed', 'draining']),
  // The container is a stranger's. A number beyond its column would fail the row of every other agent.
  in_flight: z.number().int().min(0).max(1_000_000),
  // Measurements. A wrong one counts as absent, because it must not make a container look dead.
  concurrency: z.number().int().min(1).optional().catch(undefined),
  cpu_seconds: z.number().min(0).optional().catch(undefined),
  /** Those that it has admitted since its start. */
  calls: z.number().int().min(0).optional().catch(undefined),
});
export type Health = z.output<typeof health>;

/** Five seconds in the spec. */
const timeout_ms = 5000;

/** A container's health and load. Undefined without an answer of the container itself, or for any other answer. */
export async function askHealth(
  connections: AgentConnections,
  instance: ProvenAddress,
  signal: AbortSignal,
): Promise<Health | undefined> {
  const answer = await askInstance(connections, instance, { method: 'GET', path: '/health', timeout_ms, signal });
  return health.safeParse(answer?.body).data;
}

/**
 * Makes a container take no more calls. Its wrapper may be older than the route: then `bySignal` does it. The drain limit ends a container
 * that does not answer.
 */
export async function askToDrain(
  connections: AgentConnections,
  instance: ProvenAddress,
  { bySignal, signal }: { bySignal: () => Promise<void>; signal: AbortSignal },
): Promise<void> {
  const answer = await askInstance(connections, instance, { method: 'POST', path: '/drain', timeout_ms, signal });
  if (answer?.status === 404) await bySignal();
}
