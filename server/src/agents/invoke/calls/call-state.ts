// The states of a call on its way, what each one promises, and what each event does. This is the only place that decides it: send-call.ts
// and track-call.ts carry the effects out. Must never happen: two starts of containers that may begin one call.
//
// waiting  No start may begin the call. It can be sent anywhere, and ended as `not_begun`.
// stored   Exactly one start may begin the call, and the row names it. Nothing was sent to it.
// sent     That start may have begun the call. Until it says no, no other one gets it.
// begun    That start works for the call, or has ended it. The call is never sent again, and its input is erased.
// ended    The call has its answer.

export interface CallState {
  at: 'waiting' | 'stored' | 'sent' | 'begun' | 'ended';
  /**
   * `none`: the caller waits, and nothing of the call is stored. `token`: the caller waits, and a row lets the run's token count. `answer`: the
   * call is detached, its answer is stored, and it survives this process.
   */
  row: 'none' | 'token' | 'answer';
}

/**
 * `waits`: no instance takes it now. `placed`: an instance was chosen. `sent`: the row is written, and the request goes out. `not_begun`: the start has refused every sending so
 * far, or none was sent. `begun`: the start works for it. `detached`: nobody waits on a connection. `ended`: it has an answer or a refusal.
 * `left`: this process stops, or another one follows the call.
 */
export type CallEvent = 'waits' | 'placed' | 'sent' | 'not_begun' | 'begun' | 'detached' | 'ended' | 'left';

/** `store`: write the row as the state is now. `erase`: the input. `end`: store the answer. `forget`: delete the row. `leave`: to another process. */
export type Effect = 'store' | 'erase' | 'end' | 'forget' | 'leave';

export interface Transition {
  state: CallState;
  effects: Effect[];
}

type Step = (row: CallState['row']) => { at: CallState['at']; row?: CallState['row']; effects?: Effect[] };

const detached = (at: CallState['at'], ...more: Effect[]): Step => {
  return (row) => ({ at, row: 'answer', effects: row === 'answer' ? [] : ['store', ...more] });
};
const ended: Step = (row) => ({ at: 'ended', effects: row === 'answer' ? ['end'] : row === 'token' ? ['forget'] : [] });
const left: Step = (row) => ({
  at: 'ended',
  effects: row === 'answer' ? ['leave'] : row === 'token' ? ['forget'] : [],
});
const to =
  (at: CallState['at'], effect?: { of: CallState['row'][]; is: Effect }): Step =>
  (row) => ({ at, effects: effect?.of.includes(row) ? [effect.is] : [] });

const table: Readonly<Record<CallState['at'], Partial<Record<CallEvent, Step>>>> = {
  waiting: {
    waits: to('waiting', { of: ['token', 'answer'], is: 'store' }),
    placed: to('stored', { of: ['token', 'answer'], is: 'store' }),
    detached: detached('waiting'),
    ended,
    left,
  },
  stored: {
    sent: to('sent'),
    not_begun: to('waiting'),
    detached: detached('stored'),
    ended,
    left,
  },
  sent: {
    not_begun: to('waiting'),
    begun: to('begun', { of: ['answer'], is: 'erase' }),
    detached: detached('sent'),
    ended,
    left,
  },
  begun: {
    begun: to('begun'),
    detached: detached('begun'),
    ended,
    left,
  },
  // A container says that it works for the call while its answer is on its way.
  ended: { begun: to('ended'), detached: detached('ended', 'end'), ended: to('ended'), left: to('ended') },
};

/** Throws for an event that cannot come in the state. */
export function transition({ at, row }: CallState, event: CallEvent): Transition {
  const step = table[at][event];
  if (step === undefined) throw new Error(`a call that is ${at} cannot be ${event}`);
  const { effects = [], ...next } = step(row);
  return { state: { row, ...next }, effects };
}
