import type { ModelTest } from '@gantry/contract/models/models.ts';
import { money } from '../../parts/figures/figures.ts';
import { Section } from '../../parts/page/page.tsx';
import { State } from '../../parts/figures/state.tsx';

/** One line for each upstream: how long its answer took, or what is wrong. */
export function TestLines({ tests }: { tests: readonly ModelTest[] }) {
  return (
    <Section title="Test">
      <ul role="status" className="rounded border border-line bg-raised">
        {tests.map(({ base_url, works, message, usd }, index) => (
          <li
            key={index}
            className="flex min-h-10 flex-wrap items-center gap-x-4 border-b border-line px-3 py-1.5 last:border-b-0"
          >
            <State meaning={works ? 'good' : 'failed'}>{works ? 'answers' : 'does not answer'}</State>
            <span className="min-w-0 break-words">{message}</span>
            <span className="ml-auto text-meta text-quiet">
              {base_url}
              {usd !== null && ` · ${money(usd)}`}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
