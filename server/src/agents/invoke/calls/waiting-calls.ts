import { Problem } from '@gantry/contract/problems.ts';
import type { Admitted } from '../admit.ts';

/** The calls of this process that wait for the instances of their agents. */
export interface WaitingCalls {
  /** Returns the end of the wait. Throws `too_many_runs`. */
  enter(
    of: { agent: Pick<Admitted['agent'], 'id' | 'ref'>; user: Pick<Admitted['user'], 'id'> },
    body: Uint8Array,
  ): () => void;
}

// As the queue of a container (wrapper/_svc_wrapper/settings/bounds.py): its length, and one caller has at most half of it.
const max_calls = 256;
const max_bytes = 64 * 1024 * 1024;
const retry_after_seconds = 5;

export function waitingCalls(): WaitingCalls {
  const waiting = new Map<string, Set<{ caller_id: string; bytes: number }>>();
  return {
    enter({ agent, user }, body) {
      const others = waiting.get(agent.id) ?? new Set();
      const own = [...others].filter(({ caller_id }) => caller_id === user.id).length;
      const bytes = [...others].reduce((sum, one) => sum + one.bytes, body.length);
      if (others.size >= max_calls || own >= max_calls / 2 || bytes > max_bytes) {
        const detail = `${others.size} calls wait until ${agent.ref} has started, ${own} of them from this caller.`;
        throw new Problem('too_many_runs', { detail, retry_after_seconds });
      }
      const one = { caller_id: user.id, bytes: body.length };
      others.add(one);
      waiting.set(agent.id, others);
      return () => {
        others.delete(one);
        if (others.size === 0) waiting.delete(agent.id);
      };
    },
  };
}
