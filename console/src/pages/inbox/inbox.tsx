// What waits for the reader: runs of agents that ask a person, questions of MCP servers, calls of tools that a person must approve, and agents that want
// to act in the name of the reader. Each is answered where it stands.
import type { WaitingRun } from '@gantry/contract/agents/threads.ts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '../../parts/action/button.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { When } from '../../parts/figures/when.tsx';
import { pagesOf } from '../../parts/list/list.tsx';
import { Empty, Page } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask, askList } from '../../server.ts';
import { Ask } from '../connections/ask.tsx';
import { Call, useWaitingCalls } from './waiting-calls.tsx';
import { Questions } from './questions.tsx';
import { ServerQuestion, useServerQuestions } from './server-questions.tsx';

/** Nothing tells the browser that a run has begun to wait. */
const again_ms = 15_000;

export function InboxPage() {
  const waiting = useInfiniteQuery({ ...askList('inbox.list', { query: {} }), refetchInterval: again_ms });
  const { rows, error, more } = pagesOf(waiting);
  const calls = useWaitingCalls();
  const questions = useServerQuestions();
  const connections = useQuery({ ...ask('connections.show', {}), refetchInterval: again_ms });
  const asks = connections.data?.asks.filter(({ agent }) => agent !== null) ?? [];
  return (
    <Page title="Inbox" svc="svc inbox">
      {rows === undefined && error !== null && error !== undefined && <Refusal error={error} />}
      {rows === undefined && (error === null || error === undefined) && <div className="skeleton h-40" />}
      {connections.error !== null && <Refusal error={connections.error} />}
      {calls.error !== null && calls.error !== undefined && <Refusal error={calls.error} />}
      {questions.error !== null && questions.error !== undefined && <Refusal error={questions.error} />}
      {rows?.length === 0 && questions.rows?.length === 0 && calls.rows?.length === 0 && asks.length === 0 && (
        <Empty>
          Nothing waits for you. An agent that asks a person, a server that asks you something, a call that a person
          must approve, and an agent that wants to act in your name are listed here.
        </Empty>
      )}
      <ul className="flex max-w-[800px] flex-col gap-4">
        {asks.map((one) => (
          <Ask key={one.id} ask={one} />
        ))}
        {questions.rows?.map((question) => (
          <ServerQuestion key={question.id} question={question} />
        ))}
        {calls.rows?.map((call) => (
          <Call key={call.id} call={call} />
        ))}
        {rows?.map((run) => (
          <Run key={`${run.thread} ${run.checkpoint_id} ${run.waiting_since}`} run={run} />
        ))}
      </ul>
      {questions.more !== undefined && (
        <Button look="quiet" onClick={questions.more}>
          More questions
        </Button>
      )}
      {calls.more !== undefined && (
        <Button look="quiet" onClick={calls.more}>
          More calls
        </Button>
      )}
      {more !== undefined && (
        <Button look="quiet" onClick={more}>
          More
        </Button>
      )}
    </Page>
  );
}

function Run({ run }: { run: WaitingRun }) {
  const { agent, orchestration, thread, caller, is_own, interrupts, checkpoint_id, waiting_since } = run;
  const name = agent.replace('agents/', '');
  const answer = useSend('threads.answer', {
    changes: ['inbox', 'notifications'],
    says: () => (is_own ? `${name} has your answer` : `${name} goes on for ${caller} with your answer`),
  });
  return (
    <li className="flex flex-col gap-2" aria-label={`${name}, of ${is_own ? 'you' : caller}`}>
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2 className="text-section">{name}</h2>
        <span className="text-meta text-quiet">
          {is_own ? 'your run' : `a run of ${caller}`}
          {orchestration !== null && ` of ${orchestration.replace('orchestrations/', '')}`}, asked{' '}
          <When at={waiting_since} />
        </span>
        {is_own && orchestration === null && (
          <Link to="/talk/$agent/{-$thread}" params={{ agent: name, thread }} className="ml-auto text-meta text-accent">
            The conversation
          </Link>
        )}
      </div>
      <Questions
        interrupts={interrupts}
        // Any JSON: a form has made it.
        onAnswer={(value) =>
          answer.mutate({ params: { name, thread }, body: { value: value as never, checkpoint_id, waiting_since } })
        }
        isSending={answer.isPending}
        error={answer.error}
      />
    </li>
  );
}
