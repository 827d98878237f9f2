// A client that loses no call: it sends a call with the same key until the service answers. Only a broken or refused connection makes it
// repeat. Every answer is on record.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Agent } from '../call-agent.ts';

export interface SteadyClient {
  /** The result of a call with this `input`. */
  call(input: object, headers?: Record<string, string>): Promise<unknown>;
  /** The statuses of all answers, each once. */
  statuses: Set<number>;
  /** The calls that have a result. */
  calls(): number;
}

const attempts_seconds = 90;
const pause_ms = 100;

export function steadyClient(agent: Agent): SteadyClient {
  const statuses = new Set<number>();
  let calls = 0;
  const send: Agent['send'] = async (path, init) => {
    const until = AbortSignal.timeout(attempts_seconds * 1000);
    for (;;) {
      try {
        const answered = await agent.send(path, init);
        statuses.add(answered.status);
        return answered;
      } catch (error) {
        // The one of fetch, for a connection.
        if (!(error instanceof TypeError)) throw error;
        await delay(pause_ms, undefined, { signal: until });
      }
    }
  };
  return {
    statuses,
    calls: () => calls,
    call: async (input, headers = {}) => {
      const init = { method: 'POST', body: JSON.stringify({ input }) };
      let answered = await send('/invoke', { ...init, headers: { 'idempotency-key': randomUUID(), ...headers } });
      const { run_id } = answered.json;
      while (answered.status === 202) {
        await delay(pause_ms);
        answered = await send(`/runs/${run_id}`);
      }
      if (answered.status !== 200) throw new Error(`a call ended with ${answered.status}: ${answered.text}`);
      calls += 1;
      return answered.json.output?.result;
    },
  };
}
