// The instance of a call: of two random ones, the one with fewer open calls of this process. A call that no instance has begun goes to another
// one. A call that may have begun is never sent again.
import { LRUCache } from 'lru-cache';
import { Problem } from '@gantry/contract/problems.ts';
import type { ServingAddress } from '../../deploy/serving/serving.ts';
import type { AgentConnections } from '../../deploy/connections/agent-connections.ts';
import { NotConnected } from '../../deploy/connections/proven-client.ts';
import { callAgent, type Sending, type UpstreamAnswer, type UpstreamCall } from '../upstream.ts';

/** One call, and the instance that has it now. */
export interface PlacedCall {
  readonly instance: ServingAddress;
  /** The id of the container's start, as last said to this process. Null for a wrapper without such ids; undefined before its first answer. */
  readonly start: string | null | undefined;
  /** The container has said which start it is. True for another one than before. */
  heard: (start: string | null | undefined) => boolean;
  /** Moves to an instance that this call has not tried. False when there is none. */
  move: () => boolean;
  /** Called once, when the instance works no more for the call. */
  end: () => void;
}

export interface OpenCalls {
  /** `instances` has at least one. */
  place(instances: readonly ServingAddress[]): PlacedCall;
}

export function openCalls(random: () => number = Math.random): OpenCalls {
  const open = new Map<string, number>();
  const starts = new LRUCache<string, { id: string | null }>({ max: 10_000 });
  const of = ({ instance_id }: ServingAddress) => open.get(instance_id) ?? 0;
  const add = ({ instance_id }: ServingAddress, calls: number) => {
    const now = (open.get(instance_id) ?? 0) + calls;
    if (now > 0) open.set(instance_id, now);
    else open.delete(instance_id);
  };
  const choose = (among: readonly ServingAddress[]) => {
    const one = among[Math.floor(random() * among.length)];
    const others = among.filter((other) => other !== one);
    const another = others[Math.floor(random() * others.length)];
    if (one === undefined) return undefined;
    const chosen = another !== undefined && of(another) < of(one) ? another : one;
    add(chosen, 1);
    return chosen;
  };
  return {
    place(instances) {
      let untried = [...instances];
      const take = () => {
        const chosen = choose(untried);
        untried = untried.filter((other) => other !== chosen);
        return chosen;
      };
      const first = take();
      if (first === undefined) throw new Error('a call needs an instance');
      let instance = first;
      return {
        get instance() {
          return instance;
        },
        get start() {
          return starts.get(instance.instance_id)?.id;
        },
        heard(start = null) {
          if (starts.get(instance.instance_id)?.id === start) return false;
          starts.set(instance.instance_id, { id: start });
          return true;
        },
        move() {
          const next = take();
          if (next === undefined) return false;
          add(instance, -1);
          instance = next;
          return true;
        },
        end: () => add(instance, -1),
      };
    },
  };
}

/**
 * As callAgent, with the other instances when the first one has not begun the call. `beforeSending` is awaited before each attempt. The last
 * answer can be a refusal, too. Throws `agent_unavailable` with the cause NotConnected when no instance could be reached.
 */
export async function callPlaced(
  connections: AgentConnections,
  placed: PlacedCall,
  call: Omit<UpstreamCall, 'instance' | 'sending'>,
  beforeSending: () => Promise<Sending | undefined> = async () => await Promise.resolve(undefined),
): Promise<UpstreamAnswer> {
  for (;;) {
    try {
      const sending = await beforeSending();
      const answer = await callAgent(connections, { ...call, instance: placed.instance, ...(sending && { sending }) });
      const isOther = placed.heard(answer.start);
      if (answer.not_begun === undefined) return answer;
      // The container has restarted since it last answered. Its new start takes the call.
      if (!(isOther && answer.not_begun === 'other-start') && !placed.move()) return answer;
      await answer.body.dump();
    } catch (error) {
      if (!isNotConnected(error) || !placed.move()) throw error;
    }
  }
}

/** No byte of the call has left this process. */
export function isNotConnected(error: unknown): error is Problem {
  return error instanceof Problem && error.cause instanceof NotConnected;
}
