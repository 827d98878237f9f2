import type { Caller } from '../access/caller.ts';
import type { LateBody } from '../http/handlers.ts';
import { admit, type Admitted } from './admit.ts';
import type { Ingress } from './ingress.ts';

/** What the wrapper takes by default, too. */
const most_bytes = 10 * 1024 * 1024;

export interface Incoming extends LateBody {
  caller: Caller;
  name: string;
  headers: Headers;
  signal: AbortSignal;
}

/**
 * An admitted call with its whole body. When the upload took long enough for the caller to be read anew, all of it is decided anew, and
 * the revision that serves by then takes the call. Until then the first one is right: a replaced revision waits for late calls (drain-out.ts).
 */
export async function receive({ agents }: Ingress, incoming: Incoming): Promise<Admitted & { body: Buffer }> {
  const admitted = await admit(agents, incoming.caller, incoming.name);
  const body = await incoming.readBytes(most_bytes);
  const caller = await incoming.callerNow();
  return { ...(caller === incoming.caller ? admitted : await admit(agents, caller, incoming.name)), body };
}
