import type { ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import { Section } from '../../parts/page/page.tsx';
import { ReachLines } from './reach-lines.tsx';
import { ToolTexts } from './tool-texts.tsx';

export function Reach({ request: { changes, compared_with } }: { request: ApprovalDetail }) {
  const isNews = changes.reach.some(({ change }) => change !== 'same');
  return (
    <Section title="What it may reach">
      {!isNews && compared_with !== null && changes.reach.length > 0 && (
        <p className="mb-2 text-quiet">Nothing new: it reaches what {compared_with} reaches.</p>
      )}
      <ReachLines reach={changes.reach} />
      {changes.tools.length > 0 && (
        <>
          <h3 className="mt-3 mb-1.5 font-strong">Tools, as their servers describe them</h3>
          <ToolTexts tools={changes.tools} />
        </>
      )}
    </Section>
  );
}
