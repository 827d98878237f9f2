import type { ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import { commandsIn } from '../../parts/refusal.tsx';
import { Section } from '../../parts/page/page.tsx';
import { State } from '../../parts/figures/state.tsx';

/** The guardrails in effect, and the way past them. Nothing for kinds without calls. */
export function Guarding({ request: { guardrails, unguarded, target } }: { request: ApprovalDetail }) {
  if (target === 'none') return null;
  return (
    <Section title="Guardrails">
      <ul className="rounded border border-line bg-raised px-3 py-2.5">
        {guardrails.length === 0 && <li className="text-quiet">None checks what goes in and out.</li>}
        {guardrails.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        {unguarded !== null && (
          <li className="mt-1.5 grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3">
            <State meaning="waiting">open</State>
            <span className="break-words">{commandsIn(unguarded)}</span>
          </li>
        )}
      </ul>
    </Section>
  );
}
