import type { OrchestrationRun } from '@gantry/contract/agents/orchestrations.ts';
import { CodeView } from '../../../parts/code/code.tsx';
import { Section } from '../../../parts/page/page.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { nodeOf, type Call } from '../calls/calls.ts';

interface RunAnswerProps {
  output: OrchestrationRun['output'] | undefined;
  calls: readonly Call[];
  error: unknown;
  notices: readonly string[];
}

/** Without a text of its own, the answer is those of all members. */
export function RunAnswer({ output, calls, error, notices }: RunAnswerProps) {
  if ((output ?? undefined) === undefined && error === undefined && notices.length === 0) return null;
  const text = output?.text;
  return (
    <Section title="Answer">
      <div aria-live="polite" className="flex flex-col gap-2">
        {error !== undefined && <Refusal error={error} />}
        {typeof text === 'string' && (
          <p className="rounded border border-line bg-raised px-3 py-2.5 break-words whitespace-pre-wrap">{text}</p>
        )}
        {output !== null && output !== undefined && typeof text !== 'string' && (
          <OfMembers output={output} calls={calls} />
        )}
        {notices.map((notice) => (
          <p key={notice} className="text-waiting">
            {notice}
          </p>
        ))}
      </div>
    </Section>
  );
}

function OfMembers({ output, calls }: { output: NonNullable<OrchestrationRun['output']>; calls: readonly Call[] }) {
  // In the order of the calls.
  const outermost = calls.filter(({ path }) => !path.includes('/'));
  const called = new Set(outermost.map(({ path }) => nodeOf(path)));
  const answers = [...called].flatMap((member) => {
    const call = outermost.findLast(({ path, answer }) => nodeOf(path) === member && answer !== null);
    return call === undefined ? [] : [{ member, by: call.member, answer: call.answer }];
  });
  return (
    <>
      <ul className="rounded border border-line bg-raised">
        {answers.map(({ member, by, answer }) => (
          <li
            key={member}
            className="grid grid-cols-[140px_minmax(0,1fr)] gap-3 border-b border-line px-3 py-2 last:border-b-0 max-phone:grid-cols-1 max-phone:gap-0.5"
          >
            <span className="text-quiet">{by === member ? member : `${member}, by ${by}`}</span>
            <p className="break-words whitespace-pre-wrap">{answer}</p>
          </li>
        ))}
      </ul>
      <details className="text-meta">
        <summary className="mb-2 text-quiet">Whole output</summary>
        <CodeView text={JSON.stringify(output.members, null, 2)} language="json" label="Answers of the members" wraps />
      </details>
    </>
  );
}
