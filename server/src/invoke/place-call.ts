// The instance of a call: of two random ones, the one with fewer open calls of this process. A call that no instance has begun goes to another
// one. A call that may have begun is never sent again.
import { Problem } from '@gantry/contract/problems.ts';
import type { ServingAddress } from '../deploy/serving.ts';
import type { AgentConnections } from './agent-connections.ts';
import { NotConnected } from './proven-client.ts';
import { callAgent, type UpstreamAnswer, type UpstreamCall } from './upstream.ts';

/** One call, and the instance that has it now. */
export interface PlacedCall {
  readonly instance: ServingAddress;
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

/** As callAgent, with the other instances when the first one has not begun the call. `onMove` is awaited before each further attempt. */
export async function callPlaced(
  connections: AgentConnections,
  placed: PlacedCall,
  call: Omit<UpstreamCall, 'instance'>,
  onMove: () => Promise<void> = async () => {},
): Promise<UpstreamAnswer> {
  for (;;) {
    try {
      const answer = await callAgent(connections, { ...call, instance: placed.instance });
      if (!answer.is_not_begun || !placed.move()) return answer;
      await answer.body.dump();
    } catch (error) {
      if (!(error instanceof Problem && error.cause instanceof NotConnected) || !placed.move()) throw error;
    }
    await onMove();
  }
}
