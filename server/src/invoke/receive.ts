import type { Caller } from '../access/caller.ts';
import { admit, type Admitted } from './admit.ts';
import type { Ingress } from './ingress.ts';
import { readInput } from './read-input.ts';

export interface Incoming {
  caller: Caller;
  /** Once the body is there. */
  callerNow: () => Promise<Caller>;
  name: string;
  body: ReadableStream<Uint8Array>;
  headers: Headers;
  signal: AbortSignal;
}

/**
 * An admitted call with its whole body. When the upload took long enough for the caller to be read anew, all of it is decided anew, and
 * the revision that serves by then takes the call. Until then the first one is right: a replaced revision waits for late calls (drain-out.ts).
 */
export async function receive({ agents }: Ingress, incoming: Incoming): Promise<Admitted & { body: Buffer }> {
  const admitted = await admit(agents, incoming.caller, incoming.name);
  const body = await readInput(incoming);
  const caller = await incoming.callerNow();
  return { ...(caller === incoming.caller ? admitted : await admit(agents, caller, incoming.name)), body };
}
