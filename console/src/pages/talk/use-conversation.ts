// One conversation: what the service keeps of it, and the calls that this page makes for it.
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, refresh, send } from '../../server.ts';
import { stateAt, stateBefore } from './branches.ts';
import { entriesOf, messagesIn, runsOf, textOfInput, type Answer, type Entry, type Said } from './entries.ts';
import type { InputShape } from './input-shape.ts';
import type { Facts } from './message.tsx';
import type { Input, Turn } from './turn.ts';
import { useCalls, type CallOf } from './use-calls.ts';
import { useRatings } from './use-ratings.ts';

interface ConversationOf {
  agent: string;
  /** Undefined: a new one, or an agent whose threads the service does not keep. */
  thread: string | undefined;
  shape: InputShape;
  keeps_threads: boolean;
  /** Shows a thread in place of this one; `stays`: this conversation goes on in it. */
  onThread: (thread: string, stays: boolean) => void;
}

const working_ms = 1500;
/** The steps that are read of an agent without messages. */
const most_states = 100;

export function useConversation({ agent, thread, shape, keeps_threads, onThread }: ConversationOf) {
  const queries = useQueryClient();
  const calls = useCalls(agent);
  const [facts, setFacts] = useState<Readonly<Record<string, Facts>>>({});
  // While a call of this page runs, and after one that failed, what was there before it stays as it was.
  const [before, setBefore] = useState<readonly Entry[]>();
  // From a call until the stored conversation has it. The next one would go on with what was before.
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const params = { name: agent, thread: thread ?? '' };
  const shown = useQuery({
    ...ask('threads.show', { params }),
    enabled: thread !== undefined,
    refetchInterval: ({ state }) => (state.data?.state === 'working' ? working_ms : false),
  });
  const values = shown.data?.latest?.values;
  const field = shape.isConversation ? shape.line?.name : 'messages';
  const messages = values === undefined ? undefined : messagesIn(values, field);
  const asked = { params, query: { limit: most_states } };
  const history = useQuery({
    ...ask('threads.history', asked),
    // Another state is another history.
    queryKey: ['threads.history', asked, shown.data?.latest?.checkpoint_id] as never,
    placeholderData: keepPreviousData,
    enabled: values !== undefined && messages === undefined,
  });
  const names = shape.fields.map(({ name }) => name);
  const stored = messages === undefined ? runsOf(history.data?.items ?? [], names) : entriesOf(messages);
  const branch = { agent, thread: thread ?? '', field: messages === undefined ? undefined : field };

  const ratings = useRatings(branch, shown.data?.feedback ?? []);

  /** The stored conversation as of now. */
  const read = async (of: string) => {
    const isOf = ({ queryKey: [name, parts] }: { queryKey: readonly unknown[] }) =>
      (name === 'threads.show' || name === 'threads.history') &&
      (parts as { params: { thread: string } }).params.thread === of;
    await queries.invalidateQueries({ predicate: isOf });
  };

  const run = async (body: CallOf['body'], from: readonly Entry[]) => {
    setBusy(true);
    await runToEnd(body, from).finally(() => setBusy(false));
  };
  const runToEnd = async (body: CallOf['body'], from: readonly Entry[]) => {
    setError(undefined);
    setBefore(from);
    calls.turns.filter(() => keeps_threads).forEach(({ id }) => calls.drop(id));
    let own = thread;
    const turn = await calls.call({
      body,
      isStored: keeps_threads,
      onTaken: (run_id) => {
        if (!keeps_threads) return;
        own = body.thread_id === 'new' ? run_id : (body.thread_id ?? own);
        if (own !== undefined && own !== thread) onThread(own, true);
        refresh(['threads']);
      },
    });
    if (own === undefined || !keeps_threads) return;
    refresh(['threads', 'inbox', 'home', 'notifications']);
    await read(own);
    // A failure is stored nowhere, so it stays until the next call.
    if (turn.state === 'failed') return;
    keepFacts(turn);
    calls.drop(turn.id);
    setBefore(undefined);
  };
  const keepFacts = (turn: Turn) => {
    const last = turn.parts.findLast(({ kind }) => kind === 'text');
    const id = last?.id ?? turn.run_id;
    if (id !== undefined) setFacts((all) => ({ ...all, [id]: turn }));
  };

  const guarded = async (work: () => Promise<void>) => {
    setError(undefined);
    try {
      await work();
    } catch (failure) {
      setError(failure);
    }
  };

  const name = shown.data?.thread_id;
  return {
    calls,
    isBusy,
    shown,
    facts,
    /** Of the answers, by their ids. */
    ratings,
    error,
    entries: before ?? stored,
    isLoading:
      thread !== undefined && before === undefined && (shown.isPending || (history.isEnabled && history.isPending)),
    /** What the next message of a conversation carries with it. */
    said: keeps_threads ? [] : saidBefore(calls.turns),
    send: (input: Input) => {
      const to = keeps_threads ? { thread_id: name ?? thread ?? 'new' } : {};
      void run({ input, ...to }, keeps_threads ? stored : []);
    },
    /** An interrupted run goes on with its last step. */
    goOn: () => {
      if (name !== undefined) void run({ thread_id: name, resume: null }, stored);
    },
    /** Says something else in the place of a message, in another conversation. */
    edit: (said: Said, input: Input) =>
      guarded(async () => {
        const from = stored.slice(0, stored.indexOf(said));
        const at = await stateBefore(branch, said);
        if (at === undefined) return void run({ input, thread_id: 'new' }, []);
        const { answer } = await send('threads.fork', { params, body: { checkpoint_id: at } });
        onThread(answer.thread_id, true);
        void run({ input, thread_id: answer.thread_id }, from);
      }),
    fork: (answer: Answer) =>
      guarded(async () => {
        const { checkpoint_id } = await stateAt(branch, answer);
        const forked = await send('threads.fork', { params, body: { checkpoint_id } });
        refresh(['threads']);
        onThread(forked.answer.thread_id, false);
      }),
    rate: async (answer: Answer, rating: { is_good: boolean | null; reason: string }) => {
      const run_id = facts[answer.id]?.run_id ?? (await stateAt(branch, answer)).run_id ?? '';
      await send('invoke.feedback', { params: { name: agent, run_id }, body: rating });
      await read(thread ?? '');
    },
    /** Answers what the thread waits for. */
    answer: (value: unknown) =>
      guarded(async () => {
        const checkpoint_id = shown.data?.latest?.checkpoint_id;
        // Any JSON: a form has made it.
        const waiting_since = shown.data?.waiting_since ?? undefined;
        await send('threads.answer', { params, body: { value: value as never, checkpoint_id, waiting_since } });
        refresh(['threads', 'inbox', 'home', 'notifications']);
        await read(thread ?? '');
      }),
  };
}

export type Conversation = ReturnType<typeof useConversation>;

/** The messages of the last answered call, with its answer. */
function saidBefore(turns: readonly Turn[]): unknown[] {
  const last = turns.findLast(({ state }) => state === 'answered');
  const asked = Object.values(last?.input ?? {})[0];
  if (last === undefined || !Array.isArray(asked)) return [];
  const answered = last.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  return [...(asked as unknown[]), ...answered.map((text) => ({ role: 'assistant', content: text }))];
}

export const saidIn = (turn: Turn): string => textOfInput(turn.input ?? {});
