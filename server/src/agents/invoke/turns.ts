// The thread of a call. Only the ingress names a thread to a container: the body of the caller says which, and its row comes first. So memory, which
// is above the ingress, lets no run work on a thread that the service has not given to it.
import { z } from 'zod';
import { Problem } from '@gantry/contract/problems.ts';
import { threadName } from '@gantry/contract/agents/memory.ts';
import { parseJson } from '../../governance/http/request/body.ts';
import type { Tx } from '../../ground/database/database.ts';
import type { Admitted } from './admit.ts';
import type { Link } from '../../ground/run-token.ts';
import { threadSpace } from './caller-identity.ts';

/** Whose thread it is, and its name. */
export interface ThreadName {
  agent_id: string;
  owner_id: string;
  space: string;
  name: string;
  /** The assets through which the caller came, nearest first; null for a caller alone. */
  via: string | null;
}

/** A call's place among those of its thread. */
export interface Turn extends ThreadName {
  run_id: string;
  /** The state that the call answers. */
  expects?: string | undefined;
  /** Since when the thread has waited for this answer. A step can ask several times at one state. */
  expects_since?: string | undefined;
  /** The call is refused while another one is on the thread. */
  is_alone?: boolean | undefined;
}

/** What a call demands of its thread. */
export type Demand = Pick<Turn, 'expects' | 'expects_since' | 'is_alone'>;

export interface Turns {
  /** In the transaction that stores the call. A repeat keeps the place. */
  enter: (tx: Tx, turn: Turn) => Promise<void>;
  /** Resolves once the calls before it have ended. Throws `cancelled`, `answered_already`, and the reason of the signal. */
  wait: (run_id: string, signal: AbortSignal) => Promise<void>;
}

/** Throws as `wait`; `starting` when the service stops first, and `cancelled` when the caller has left. */
export async function awaitTurn(
  { turns, stopping }: { turns: Pick<Turns, 'wait'>; stopping: AbortSignal },
  run_id: string,
  left: AbortSignal,
): Promise<void> {
  const leaving = AbortSignal.any([stopping, left]);
  try {
    await turns.wait(run_id, leaving);
  } catch (error) {
    if (!leaving.aborted) throw error;
    if (stopping.aborted) throw new Problem('starting', { detail: 'The service is stopping.' });
    throw new Problem('cancelled', { detail: 'The caller has left.' });
  }
}

/** A thread of this name is a new one: it gets the id of the run. */
const new_thread = 'new';
const bodyWithThread = z.object({ thread_id: threadName });

/** `chain`: the assets through which the owner comes, nearest first. */
export function nameThread(
  { agent_id, owner_id, chain = [] }: { agent_id: string; owner_id: string; chain?: readonly Link[] | undefined },
  name: string,
): ThreadName {
  const space = threadSpace(agent_id, { id: owner_id }, chain);
  const via = chain.length === 0 ? null : chain.map(({ ref }) => ref).join(' ');
  return { agent_id, owner_id, space, name, via };
}

/** Undefined without a thread, and for an agent whose threads are no matter of the service. The revision can change while the call waits. */
export type TurnOf = (admitted: Admitted) => Turn | undefined;

/** `expects`: the call is refused when its thread has another state by its turn. */
export function turnOf(run_id: string, body: Uint8Array, demand: Demand = {}): TurnOf {
  let read: { name: string | undefined } | undefined;
  return ({ agent, revision, user, through }) => {
    if (!revision.kept_by_service) return undefined;
    read ??= { name: threadIn(body) };
    const { name } = read;
    if (name === undefined) return undefined;
    const of = { agent_id: agent.id, owner_id: user.id, chain: through?.chain };
    return { ...nameThread(of, name === new_thread ? run_id : name), run_id, ...demand };
  };
}

/** Of a body that the container has not checked yet. Undefined for one that it will refuse. */
function threadIn(body: Uint8Array): string | undefined {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // Most calls have none, and a large input takes long to parse. An escaped name is refused by the wrapper: it got no thread.
  if (!text.includes('"thread_id"')) return undefined;
  try {
    const { thread_id } = bodyWithThread.parse(parseJson(body));
    return thread_id === '' || thread_id.includes('\0') ? undefined : thread_id;
  } catch {
    return undefined;
  }
}
