import type { ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import { Section } from '../../parts/page/page.tsx';
import { ReachLines } from './reach-lines.tsx';

export function Reach({ request: { changes, compared_with } }: { request: ApprovalDetail }) {
  const isNews = changes.reach.some(({ change }) => change !== 'same');
  return (
    <Section title="What it may reach">
      {!isNews && compared_with !== null && changes.reach.length > 0 && (
        <p className="mb-2 text-quiet">Nothing new: it reaches what {compared_with} reaches.</p>
      )}
      <ReachLines reach={changes.reach} />
    </Section>
  );
}
