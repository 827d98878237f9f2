// The health of upstreams as this process sees it, and a circuit breaker for each. Consecutive failures pause the upstream for a growing time; then
// one call is its probe. Each model has breakers of its own, because another team's settings must not close an address to this one.
import { LRUCache } from 'lru-cache';

export interface Health {
  /** Whether the upstream may be called now. After a pause, one caller is the probe. Each permitted call ends with a report. */
  permit(at: Place): Permission;
  succeeded(at: Place): void;
  failed(at: Place, problem: string): void;
  /** It is well, and takes no calls for a while. */
  rests(at: Place, seconds: number, isFull: boolean): void;
  /** The call ended without saying anything about the upstream. */
  ended(at: Place): void;
  /** What has changed since the last time. */
  takeChanges(): SeenHealth[];
}

export interface Place {
  model_id: string;
  address: string;
}

type Permission =
  | { isPermitted: true }
  /** `isFull`: it takes no calls for a while, as it said with 429. */
  | { isPermitted: false; seconds: number; isFull: boolean };

export interface SeenHealth extends Place {
  failures: number;
  /** In ISO 8601, as the other times. */
  paused_until: string | null;
  last_success_at: string | null;
  last_failure_at: string | null;
  last_problem: string | null;
}

interface State extends SeenHealth {
  /** The end of the pause by the process's clock, in milliseconds. */
  until_ms: number;
  isProbing: boolean;
  isFull: boolean;
  hasChanged: boolean;
}

const failures_to_pause = 5;
const first_pause_ms = 5000;
const longest_pause_ms = 300_000;
const max_upstreams = 10_000;

export function openHealth({
  now = Date.now,
  onChange = () => {},
}: { now?: () => number; onChange?: () => void } = {}): Health {
  const states = new LRUCache<string, State>({ max: max_upstreams });

  const stateOf = ({ model_id, address }: Place): State => {
    const key = `${model_id} ${address}`;
    const known = states.get(key);
    if (known !== undefined) return known;
    const state: State = {
      model_id,
      address,
      failures: 0,
      paused_until: null,
      last_success_at: null,
      last_failure_at: null,
      last_problem: null,
      until_ms: 0,
      isProbing: false,
      isFull: false,
      hasChanged: false,
    };
    states.set(key, state);
    return state;
  };
  const at = (ms: number) => new Date(ms).toISOString();
  const pause = (state: State, ms: number) => {
    state.until_ms = Math.max(state.until_ms, now() + ms);
    state.paused_until = at(state.until_ms);
    change(state);
  };
  const change = (state: State) => {
    state.hasChanged = true;
    onChange();
  };

  return {
    permit: (place) => {
      const state = stateOf(place);
      const left_ms = state.until_ms - now();
      if (left_ms > 0) return { isPermitted: false, seconds: Math.ceil(left_ms / 1000), isFull: state.isFull };
      state.isFull = false;
      if (state.failures < failures_to_pause) return { isPermitted: true };
      if (state.isProbing) return { isPermitted: false, seconds: 1, isFull: false };
      state.isProbing = true;
      return { isPermitted: true };
    },
    succeeded: (place) => {
      const state = stateOf(place);
      // A pause without failures is a rest, which ends at its time.
      if (state.failures > 0) Object.assign(state, { failures: 0, paused_until: null, until_ms: 0 });
      Object.assign(state, { last_success_at: at(now()), isProbing: false });
      change(state);
    },
    failed: (place, problem) => {
      const state = stateOf(place);
      Object.assign(state, { last_failure_at: at(now()), last_problem: problem, isProbing: false });
      change(state);
      // Calls that were under way when the pause began say nothing new.
      if (state.until_ms > now()) return;
      state.failures += 1;
      const doublings = state.failures - failures_to_pause;
      if (doublings >= 0) pause(state, Math.min(longest_pause_ms, first_pause_ms * 2 ** Math.min(doublings, 20)));
    },
    rests: (place, seconds, isFull) => {
      const state = stateOf(place);
      state.isFull = isFull;
      state.isProbing = false;
      pause(state, Math.min(longest_pause_ms, seconds * 1000));
    },
    ended: (place) => {
      stateOf(place).isProbing = false;
    },
    takeChanges: () =>
      [...states.values()]
        .filter(({ hasChanged }) => hasChanged)
        .map((state) => {
          state.hasChanged = false;
          const { until_ms: _, isProbing: __, isFull: ___, hasChanged: ____, ...seen } = state;
          return seen;
        }),
  };
}
