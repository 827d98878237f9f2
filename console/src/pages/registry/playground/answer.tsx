// The answer of a side, what it has cost, and what it answers: the text and the model beside it can have changed since.
import { Link } from '@tanstack/react-router';
import { count, duration, money } from '../../../parts/figures/figures.ts';
import { Refusal } from '../../../parts/refusal.tsx';
import type { Trial } from './use-trial.ts';

export function Answer({
  title,
  trial: { state, answer, of, used, trace_id, error },
}: {
  title: string;
  trial: Trial;
}) {
  const says = {
    none: 'No answer yet: run it.',
    running: answer === '' ? 'Waiting for the first token…' : 'Answering…',
    stopped: 'Stopped. What it has cost is in its trace.',
    ended: undefined,
  }[state];
  return (
    <div className="mt-1 flex flex-col gap-2 border-t border-line pt-3">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h3 className="font-strong">Answer</h3>
        <span role="status" aria-label={`Answer of ${title}`} className="text-meta text-quiet">
          {says ?? (error === undefined ? 'Done' : 'Failed')}
        </span>
        <span className="text-meta text-quiet">{of}</span>
        {trace_id !== undefined && (
          <Link to="/traces/$id" params={{ id: trace_id }} className="ml-auto text-meta text-accent">
            Trace
          </Link>
        )}
      </div>
      {answer !== '' && (
        <div
          className="max-h-[480px] overflow-y-auto rounded bg-sunken px-3 py-2 break-words whitespace-pre-wrap"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long answer is scrolled by keys
          tabIndex={0}
          role="region"
          aria-label={`Text of ${title}`}
        >
          {answer}
        </div>
      )}
      {used?.is_cut === true && <p className="text-meta text-waiting">It ended at its limit of tokens.</p>}
      {error !== undefined && <Refusal error={error} />}
      {used !== undefined && (
        <dl className="grid grid-cols-[repeat(5,auto)] justify-start gap-x-6 text-meta max-phone:grid-cols-[repeat(3,auto)] max-phone:gap-y-1">
          {(
            [
              ['Tokens in', count(used.input_tokens)],
              ['Tokens out', count(used.output_tokens)],
              ['Cost', used.cost_usd === null ? 'no price' : money(used.cost_usd)],
              ['First token', duration(used.first_token_ms)],
              ['Total', duration(used.total_ms)],
            ] as const
          ).map(([label, value]) => (
            <div key={label}>
              <dt className="text-quiet">{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
