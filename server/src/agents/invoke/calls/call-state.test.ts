import { expect, test } from 'vitest';
import { transition, type CallEvent, type CallState } from './call-state.ts';

const ats = ['waiting', 'stored', 'sent', 'begun', 'ended'] as const;
const rows = ['none', 'token', 'answer'] as const;
const events = ['waits', 'placed', 'sent', 'not_begun', 'begun', 'detached', 'ended', 'left'] as const;

const states = ats.flatMap((at) => rows.map((row): CallState => ({ at, row })));

/** `→ state: effects` for each kind of row, or what cannot happen. */
function told(at: CallState['at'], event: CallEvent): string[] | 'never' {
  const one = (row: CallState['row']) => {
    const { state, effects } = transition({ at, row }, event);
    const kept = state.row === row ? '' : ` ${state.row}`;
    return `${state.at}${kept}: ${effects.join(' ')}`.trim();
  };
  try {
    return rows.map(one);
  } catch {
    return 'never';
  }
}

test('the whole table: of no row, of a row for the token, and of a row for the answer', () => {
  const table = Object.fromEntries(
    ats.map((at) => [at, Object.fromEntries(events.map((event) => [event, told(at, event)]))]),
  );
  const ends = ['ended:', 'ended: forget', 'ended: end'];
  const leaves = ['ended:', 'ended: forget', 'ended: leave'];
  const detaches = (at: string, more = '') => [`${at} answer: store${more}`, `${at} answer: store${more}`, `${at}:`];
  const all = (at: string) => [`${at}:`, `${at}:`, `${at}:`];
  const never = { waits: 'never', placed: 'never', sent: 'never', not_begun: 'never', begun: 'never' };
  const both = { ended: ends, left: leaves };
  const stores = (at: string) => [`${at}:`, `${at}: store`, `${at}: store`];
  expect(table).toEqual({
    waiting: { ...never, waits: stores('waiting'), placed: stores('stored'), detached: detaches('waiting'), ...both },
    stored: { ...never, sent: all('sent'), not_begun: all('waiting'), detached: detaches('stored'), ...both },
    sent: {
      ...never,
      not_begun: all('waiting'),
      begun: ['begun:', 'begun:', 'begun: erase'],
      detached: detaches('sent'),
      ...both,
    },
    begun: { ...never, begun: all('begun'), detached: detaches('begun'), ...both },
    ended: {
      ...never,
      begun: all('ended'),
      detached: detaches('ended', ' end'),
      ended: all('ended'),
      left: all('ended'),
    },
  });
});

test('from each state on, a call that has begun is never placed again, and no end is taken back', () => {
  const next = (state: CallState) =>
    events.flatMap((event) => {
      try {
        return [{ event, state: transition(state, event).state }];
      } catch {
        return [];
      }
    });
  const reachable = (from: CallState) => {
    const seen = [from];
    for (const state of seen)
      for (const one of next(state).map((step) => step.state))
        if (!seen.some(({ at, row }) => at === one.at && row === one.row)) seen.push(one);
    return new Set(seen.map(({ at }) => at));
  };
  for (const state of states) {
    if (state.at === 'begun') expect([...reachable(state)].toSorted()).toEqual(['begun', 'ended']);
    if (state.at === 'ended') expect([...reachable(state)]).toEqual(['ended']);
    // Only a start that can no longer begin the call lets another one have it.
    const again = next(state).filter((step) => step.state.at === 'waiting' && state.at !== 'waiting');
    expect(again.filter(({ event }) => event !== 'not_begun')).toEqual([]);
  }
});
