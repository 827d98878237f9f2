// In this process, one operation at a time changes an agent's containers. An operation waits for the one before it.
// The keeper gives way to operations. Between processes, the database gives the order: the route's row and the run of a deploy.

interface Holder {
  ended: Promise<unknown>;
  /** Aborted to interrupt the keeper. Absent for an operation, which nothing interrupts. */
  giveWay: AbortController | undefined;
}

const holders = new Map<string, Holder>();

export async function holdAgent<T>(agent_id: string, work: () => Promise<T>): Promise<T> {
  for (let holder = holders.get(agent_id); holder !== undefined; holder = holders.get(agent_id)) {
    holder.giveWay?.abort(new GaveWay());
    await holder.ended;
  }
  return await hold(agent_id, undefined, work);
}

/** Does nothing and returns undefined while another operation changes the agent. */
export async function holdIfFree<T>(
  agent_id: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  if (holders.has(agent_id)) return undefined;
  const giveWay = new AbortController();
  try {
    return await hold(agent_id, giveWay, async () => await work(AbortSignal.any([signal, giveWay.signal])));
  } catch (error) {
    if (giveWay.signal.aborted) return undefined;
    throw error;
  }
}

async function hold<T>(agent_id: string, giveWay: AbortController | undefined, work: () => Promise<T>): Promise<T> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  holders.set(agent_id, { ended, giveWay });
  try {
    return await work();
  } finally {
    holders.delete(agent_id);
    end();
  }
}

class GaveWay extends Error {}
