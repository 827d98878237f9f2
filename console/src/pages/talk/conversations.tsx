// The conversations of the reader with one agent, the last used first.
import type { ThreadSummary } from '@gantry/contract/agents/threads.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { Button, buttonClass } from '../../parts/action/button.tsx';
import { When } from '../../parts/figures/when.tsx';
import { pagesOf } from '../../parts/list/list.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { askList } from '../../server.ts';
import { SharedWithMe } from './shares/shared-with-me.tsx';

/** A name that a path can hold; any other thread has its id. */
const threadOf = ({ id, thread_id }: Pick<ThreadSummary, 'id' | 'thread_id'>): string =>
  /^[\w.~-]+$/.test(thread_id) && thread_id !== '.' && thread_id !== '..' ? thread_id : id;

const words: Partial<Record<ThreadSummary['state'], string>> = {
  working: 'working',
  waiting: 'asks you',
  interrupted: 'stopped early',
};

export function Conversations({ agent, onChosen }: { agent: string; onChosen: () => void }) {
  const threads = useInfiniteQuery(askList('threads.list', { params: { name: agent }, query: { titles: 'true' } }));
  const { rows, error, more } = pagesOf(threads);
  return (
    <nav aria-label="Conversations" className="flex min-h-0 flex-1 flex-col gap-2 p-2">
      <Link
        to="/talk/$agent/{-$thread}"
        params={{ agent, thread: undefined }}
        activeOptions={{ exact: true }}
        onClick={onChosen}
        className={buttonClass('plain')}
      >
        <Plus size={14} aria-hidden /> New conversation
      </Link>
      {rows === undefined && error !== null && error !== undefined && <Refusal error={error} />}
      <ul className="flex min-h-0 flex-1 flex-col gap-0.5 overflow-y-auto">
        {rows === undefined &&
          (error === null || error === undefined) &&
          [1, 2, 3].map((each) => <li key={each} className="skeleton m-2 h-6" />)}
        {rows?.map((thread) => (
          <Line key={thread.id} agent={agent} thread={thread} onChosen={onChosen} />
        ))}
        {rows?.length === 0 && <li className="px-2 text-meta text-quiet">None yet. Your first message begins one.</li>}
        {more !== undefined && (
          <li>
            <Button look="quiet" onClick={more}>
              Older ones
            </Button>
          </li>
        )}
      </ul>
      <SharedWithMe agent={agent} onChosen={onChosen} />
    </nav>
  );
}

function Line({ agent, thread, onChosen }: { agent: string; thread: ThreadSummary; onChosen: () => void }) {
  const { title, state, used_at, thread_id } = thread;
  return (
    <li>
      <Link
        to="/talk/$agent/{-$thread}"
        params={{ agent, thread: threadOf(thread) }}
        onClick={onChosen}
        className="block rounded px-2 py-1.5 hover:bg-hover aria-[current=page]:bg-accent-soft"
      >
        <span className="block truncate">{title ?? thread_id}</span>
        <span className="flex gap-2 text-meta text-quiet">
          <When at={used_at} />
          {words[state] !== undefined && (
            <span className={state === 'working' ? 'text-quiet' : 'text-waiting'}>{words[state]}</span>
          )}
        </span>
      </Link>
    </li>
  );
}
