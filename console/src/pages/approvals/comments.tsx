import type { ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import { useState } from 'react';
import { Reason } from '../../parts/action/action.tsx';
import { Section } from '../../parts/page/page.tsx';
import { CommentForm, Said } from './comment.tsx';

/** All comments, oldest first; those on lines stand beside their lines too. */
export function Comments({ request }: { request: ApprovalDetail }) {
  const { comments, can } = request;
  const [sent, setSent] = useState(0);
  return (
    <Section title="Comments" aside={comments.length > 0 && comments.length}>
      <div className="max-w-[720px]">
        {comments.length > 0 && (
          <ul aria-live="polite" className="mb-4 rounded border border-line bg-raised">
            {comments.map((comment) => (
              <li key={comment.id} className="border-b border-line px-3 py-2.5 last:border-b-0">
                <Said comment={comment} {...(comment.file !== null && { place: `${comment.file}:${comment.line}` })} />
              </li>
            ))}
          </ul>
        )}
        {can['approvals.comment']?.allowed === true ? (
          <CommentForm key={sent} request={request} onDone={() => setSent(sent + 1)} />
        ) : (
          <p className="text-quiet">
            <Reason can={can['approvals.comment']} />
          </p>
        )}
      </div>
    </Section>
  );
}
