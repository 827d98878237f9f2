// One thing at a time is done to an agent's containers in this process: an operation waits for the one before it, and the keeper gives way.
// What orders processes is the database: the route's row and the run of a deploy.

interface Holder {
  ended: Promise<unknown>;
  /** Aborted to make the keeper let go; absent for an operation, which is never interrupted. */
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

/** Does nothing, and answers undefined, while something else is being done to the agent. */
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
