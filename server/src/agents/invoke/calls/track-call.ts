// The state of one call in this process, and its row. The events of the call are carried out one after the other.
import { Problem } from '@gantry/contract/problems.ts';
import { answerOf, type Answer } from '../answer.ts';
import { transition, type CallEvent, type CallState, type Effect } from './call-state.ts';
import type { Ingress } from '../ingress.ts';
import { retryWhileAway } from './retry-while-away.ts';
import * as store from '../store.ts';

/** `is_not_begun`: no instance has it, and none gets it any more. `is_left`: this process stops before the end of the call. */
export type Ended =
  | { answer: Answer & { retry_after: string | undefined } }
  | { error: unknown; is_not_begun?: boolean; is_left?: boolean };

export interface TrackedCall {
  readonly state: CallState;
  /** Resolves after the effects. An event that is no longer true is not told. */
  tell: (event: CallEvent, isTrue?: () => boolean) => Promise<void>;
  /** The call needs a row for the token of its run. Before its first event. */
  needToken: () => void;
}

interface Row {
  id: string;
  /** As the call is now. */
  now: () => store.RunningInvocation;
  /** How the call ended. Undefined before its end. */
  end: () => Ended | undefined;
}

export function trackCall(ingress: Ingress, { id, now, end }: Row, row: CallState['row']): TrackedCall {
  const { db, owner, followed, stopping } = ingress;
  let state: CallState = { at: 'waiting', row };
  let telling = Promise.resolve();
  const effects: Readonly<Record<Effect, () => Promise<unknown>>> = {
    store: async () => await followed.put(now()),
    erase: async () => await retryWhileAway(stopping, async () => await store.setBegun(db, id)),
    forget: async () => await followed.remove(id),
    leave: async () => await followed.leave(id),
    end: async () => {
      const answer = storedAnswer(end());
      // A refusal before the begin counts only from the ingress that follows the call: another one may have begun it.
      if (answer !== undefined)
        await retryWhileAway(
          stopping,
          async () => await store.end(db, id, answer.of, answer.is_not_begun ? owner : undefined),
        );
      await followed.leave(id);
    },
  };
  return {
    get state() {
      return state;
    },
    needToken: () => {
      if (state.row === 'none') state = { ...state, row: 'token' };
    },
    tell: async (event, isTrue = () => true) => {
      const before = telling;
      const told = (async () => {
        await before;
        if (!isTrue()) return;
        const next = transition(state, event);
        state = next.state;
        for (const effect of next.effects) await effects[effect]();
      })();
      telling = told.catch(() => {}); // the teller has the error
      await told;
    },
  };
}

/** Undefined for an end that says nothing about the call: another ingress asks for its answer. */
function storedAnswer(end: Ended | undefined): { of: Answer; is_not_begun: boolean } | undefined {
  if (end === undefined) throw new Error('the call has no end yet');
  if ('answer' in end) return { of: end.answer, is_not_begun: false };
  const { error, is_not_begun = false, is_left = false } = end;
  return is_left || !(error instanceof Problem) ? undefined : { of: answerOf(error), is_not_begun };
}
