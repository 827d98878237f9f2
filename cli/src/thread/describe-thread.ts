import type { ThreadDetail, ThreadState, ThreadSummary } from '@gantry/contract/agents/threads.ts';
import type { Next } from '../result.ts';
import { fields, table, time, verbatim, warn, type Text, type View } from '../view/view.ts';

export function threadState({ state }: Pick<ThreadSummary, 'state'>): Text {
  return state === 'waiting' || state === 'interrupted' ? warn(state) : state;
}

export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} kB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}

export function describeThread(thread: ThreadDetail): View {
  const { latest, interrupts, continues_at } = thread;
  return [
    fields({
      thread: thread.thread_id,
      id: thread.id,
      state: threadState(thread),
      ...(thread.next.length > 0 && { next: thread.next.join(', ') }),
      ...(thread.via !== null && { through: thread.via }),
      ...(continues_at.length > 0 && { 'may run twice': continues_at.join(', ') }),
      size: sizeOf(thread.bytes),
      made: time(thread.created_at),
      used: time(thread.used_at),
    }),
    ...(interrupts.length === 0 ? [] : [verbatim(JSON.stringify(interrupts, null, 2))]),
    ...(latest === null ? [] : [verbatim(JSON.stringify(latest.values, null, 2))]),
  ];
}

/** What a person does with it next. */
export function nextOf(agent: string, { thread_id, state }: ThreadSummary): Next[] {
  const name = /^[\w.~-]+$/.test(thread_id) ? thread_id : `'${thread_id}'`;
  if (state === 'waiting') return [{ command: `svc answer ${agent} ${name} '…'`, when: 'to answer it' }];
  if (state === 'interrupted') return [{ command: `svc answer ${agent} ${name}`, when: 'to go on with its last step' }];
  return [{ command: `svc invoke ${agent} '…' --thread ${name}`, when: 'to go on with it' }];
}

export function historyTable(states: readonly ThreadState[]): View {
  return [
    table(
      ['state', 'step', 'made by', 'next', 'at'],
      states.map(({ checkpoint_id, step, source, next, created_at }) => [
        checkpoint_id,
        step,
        source,
        next === null || next.length === 0 ? null : next.join(', '),
        time(created_at),
      ]),
      'Nothing is stored of this thread yet.',
    ),
  ];
}
