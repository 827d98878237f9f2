// The state of a thread from which another conversation goes on: before a message that is said anew, or with the answer that one goes on from.
import type { ThreadState } from '@gantry/contract/agents/threads.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { send } from '../../server.ts';
import { idOf, messagesIn, type Entry } from './entries.ts';

export interface Branch {
  agent: string;
  thread: string;
  /** The channel of the messages. Undefined: an agent without messages. */
  field: string | undefined;
}

const page = 50;
/** A conversation with more steps forks at its newer messages alone. */
const most_states = 500;

/** Undefined: nothing was said before it. */
export async function stateBefore(of: Branch, { id }: Pick<Entry, 'id'>): Promise<string | undefined> {
  const states = await statesOf(of);
  const at = states.findLastIndex((state) => has(state, of.field, id));
  if (at === -1) throw new Error('the message is in no state of the thread');
  // The state of an input holds it already, unread.
  return states.slice(at + 1).find(({ source }) => source !== 'input')?.checkpoint_id;
}

/** The newest one that ends with it, whose run has written it. */
export async function stateAt(of: Branch, { id }: Pick<Entry, 'id'>): Promise<ThreadState> {
  const state = (await statesOf(of)).find((one) => isEndOf(one, of.field, id));
  if (state === undefined) throw new Error('no state of the thread ends with the message');
  return state;
}

async function statesOf({ agent, thread }: Branch): Promise<ThreadState[]> {
  const states: ThreadState[] = [];
  const params = { name: agent, thread };
  let cursor: string | undefined;
  let limit = page;
  while (states.length < most_states) {
    try {
      const { answer } = await send('threads.history', { params, query: { limit, cursor } });
      states.push(...answer.items);
      cursor = answer.next_cursor;
      if (cursor === undefined) break;
    } catch (error) {
      // Each state has the files of its messages.
      if (!(error instanceof Problem) || error.code !== 'too_large' || limit === 1) throw error;
      limit = Math.ceil(limit / 5);
    }
  }
  return states;
}

function has({ values, checkpoint_id }: ThreadState, field: string | undefined, id: string): boolean {
  if (field === undefined) return checkpoint_id === id;
  return messagesIn(values, field)?.some((message, index) => idOf(message, index) === id) === true;
}

function isEndOf(state: ThreadState, field: string | undefined, id: string): boolean {
  const { values, source, run_id, checkpoint_id } = state;
  if (source === 'input') return false;
  if (field === undefined) return run_id === id || checkpoint_id === id;
  const messages = messagesIn(values, field) ?? [];
  const last = messages.at(-1);
  return last !== undefined && idOf(last, messages.length - 1) === id;
}
