import type { CallOptions, Client } from '@gantry/contract/client/client.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { notGantry, Unreachable } from '@gantry/contract/client/unreachable.ts';

const answer_ms = 5000;

/**
 * Throws the `Unreachable` of an address where no Gantry service answers. `data_directory` says that the address is only the default of
 * this machine: no service has announced another there.
 */
export async function refuseUnlessService(
  { client, server }: { client: Client; server: string },
  { signal }: CallOptions,
  data_directory: string | undefined,
): Promise<void> {
  const patience = AbortSignal.timeout(answer_ms);
  try {
    await client.call('auth.me', {}, { signal: signal === undefined ? patience : AbortSignal.any([signal, patience]) });
  } catch (error) {
    // A service that refuses is one.
    if (error instanceof Problem) return;
    if (error instanceof Unreachable && data_directory !== undefined && error.hint === undefined)
      throw new Unreachable(error.url, error, {
        what: `cannot be reached, and no service runs on this machine with the data in ${data_directory}`,
        hint: 'Run `svc server start`, or name the service: --server or SERVICE_URL. Then run `svc login`.',
      });
    throw error;
  }
  throw notGantry(server, 'it knows a user without a sign-in');
}
