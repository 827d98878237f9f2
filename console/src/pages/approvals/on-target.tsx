import type { ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import type { Covered, MonthlyCost, TargetPlan } from '@gantry/contract/agents/target-plan.ts';
import { visible } from '../../parts/visible.ts';
import { Facts, Section } from '../../parts/page/page.tsx';
import { State } from '../../parts/figures/state.tsx';

/** What the deploy sends to its target, what it costs there, and what the target says against it. Nothing for `local` and engines. */
export function OnTarget({ request }: { request: ApprovalDetail }) {
  const { target, target_plan, target_refuses, covers, beyond } = request;
  const form = target_plan?.covers ?? covers;
  if (form === null && target_refuses.length === 0) return null;
  return (
    <Section title={`On ${target}`}>
      <div className="rounded border border-line bg-raised px-3 py-2.5">
        <Sentences meaning="failed" word="refused" sentences={target_refuses} />
        <Sentences meaning="waiting" word="not covered" sentences={beyond} />
        <Sentences meaning="none" word="note" sentences={target_plan?.notes ?? []} />
        {form !== null && <Facts facts={[...factsOf(form), ...costOf(target_plan?.cost)]} />}
        {target_plan?.requests.map((each, index) => (
          <Request key={index} request={each} />
        ))}
      </div>
    </Section>
  );
}

interface SentencesProps {
  meaning: 'failed' | 'waiting' | 'none';
  word: string;
  sentences: readonly string[];
}

function Sentences({ meaning, word, sentences }: SentencesProps) {
  return sentences.map((sentence) => (
    <p key={sentence} className="mb-1.5 grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3">
      <State meaning={meaning}>{word}</State>
      <span className="break-words">{sentence}</span>
    </p>
  ));
}

const all = (words: readonly string[]) => (words.length === 0 ? 'none' : words.join(', '));

const factsOf = ({ size: { cpu, memory }, permissions, reach, secrets }: Covered) =>
  [
    ['Size', `${cpu} of processors, ${memory} of memory, for each replica`],
    ['Permissions', all(permissions)],
    ['Reach', all(reach)],
    ['Secrets', all(secrets)],
  ] as const;

const costOf = (cost: MonthlyCost | undefined) =>
  cost === undefined
    ? []
    : [
        [
          'A month',
          `${cost.idle} ${cost.currency} idle, ${cost.max} ${cost.currency} with all replicas; list prices of ${cost.as_of} (${cost.source})`,
        ] as const,
      ];

function Request({ request: { action, resource, body } }: { request: TargetPlan['requests'][number] }) {
  return (
    <details className="mt-1.5">
      <summary className="cursor-pointer">
        {action} {resource.kind} <span className="text-quiet">{resource.name}</span>
      </summary>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it
        tabIndex={0}
        aria-label={`${action} ${resource.kind} ${resource.name}`}
        className="max-h-96 overflow-auto font-mono text-meta break-words whitespace-pre-wrap"
      >
        {visible(JSON.stringify(body, undefined, 2))}
      </pre>
    </details>
  );
}
