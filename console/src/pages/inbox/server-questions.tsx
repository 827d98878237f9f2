// Questions of MCP servers to the reader. All their texts are hostile: they are shown as they are, and hidden characters are written out.
import type { WaitingQuestion } from '@gantry/contract/assets/tool-questions.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSend } from '../../parts/action/use-send.ts';
import { When } from '../../parts/figures/when.tsx';
import { pagesOf } from '../../parts/list/list.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { visible } from '../../parts/visible.ts';
import { askList } from '../../server.ts';
import { QuestionForm } from './question-form.tsx';
import { Arguments } from './waiting-calls.tsx';

/** Nothing tells the browser that a server has asked. */
const again_ms = 15_000;

export function useServerQuestions() {
  return pagesOf(useInfiniteQuery({ ...askList('tool_questions.waiting', { query: {} }), refetchInterval: again_ms }));
}

export function ServerQuestion({ question }: { question: WaitingQuestion }) {
  const { id, server, tool, agent, through, message, asks_for_secrets, asked_at, expires_at } = question;
  const [name] = server.replace('mcp-servers/', '').split('@');
  const answer = useSend('tool_questions.answer', {
    changes: ['notifications'],
    says: (_, { body }) =>
      body.action === 'accept'
        ? `${name} gets your answer once, when ${agent ?? 'you'} ${agent === null ? 'make' : 'makes'} this call again`
        : `The question of ${name} is declined`,
  });
  return (
    <li className="flex flex-col gap-2" aria-label={`A question of ${name}, in ${tool}`}>
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2 className="text-section">{name} asks you</h2>
        <span className="text-meta text-quiet">
          in a call of {visible(tool)}
          {through.length === 0
            ? ' that you make'
            : `, for you, through ${through.map((ref) => ref.replace('agents/', '')).join(' ← ')}`}
          , <When at={asked_at} />
        </span>
      </div>
      <fieldset
        disabled={answer.isPending}
        className="flex min-w-0 flex-col gap-2.5 rounded border border-line border-l-2 border-l-waiting bg-raised px-3 py-2.5"
      >
        <legend className="sr-only">The question and your answer</legend>
        {asks_for_secrets && (
          <p role="note" className="font-strong text-failed">
            This form asks for a password, a key or a card. No server may ask for these here. Decline it.
          </p>
        )}
        <p className="max-h-96 overflow-auto break-words whitespace-pre-wrap">{visible(message)}</p>
        <details className="text-meta">
          <summary className="text-quiet">The arguments of the call</summary>
          <Arguments args={question.arguments} />
        </details>
        <QuestionForm
          fields={question.fields}
          onAnswer={(values) => answer.mutate({ params: { id }, body: { action: 'accept', values } })}
          onDecline={() => answer.mutate({ params: { id }, body: { action: 'decline' } })}
        />
        <p className="text-meta text-quiet">
          The text above is of the server, and your answer goes to it alone. The question ends <When at={expires_at} />.
        </p>
      </fieldset>
      {answer.error !== null && <Refusal error={answer.error} />}
    </li>
  );
}
