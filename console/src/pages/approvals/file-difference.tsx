import type { ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import type { Difference } from '@gantry/contract/assets/difference.ts';
import { useState } from 'react';
import { CodeView, Difference as TwoTexts } from '../../parts/code/code.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { CommentForm, Said } from './comment.tsx';
import { useVersionText } from './version-text.ts';

type ChangedFile = Difference['files'][number];

/** The changes in one file. When the version has other content by now, only the stored changes show what was asked for. */
export function FileDifference({ request, changed }: { request: ApprovalDetail; changed: ChangedFile }) {
  if (request.is_current) return <Texts request={request} changed={changed} />;
  return <CodeView text={changed.diff ?? ''} language="text" label={`Changes in ${changed.path}`} />;
}

/** The two texts, with the comments below their lines. A press on a number of the new text begins a comment. */
function Texts({ request, changed }: { request: ApprovalDetail; changed: ChangedFile }) {
  const { asset, asset_version, compared_with, comments, can } = request;
  const { path, change } = changed;
  const [line, setLine] = useState<number>();
  const before = useVersionText(change === 'added' ? null : compared_with, path);
  const after = useVersionText(change === 'removed' ? null : `${asset}@${asset_version}`, path);
  const error = before.error ?? after.error;
  if (error !== null) return <Refusal error={error} />;
  if (before.data === undefined || after.data === undefined) return <div className="skeleton m-3 h-40" />;
  const beside = comments.flatMap((comment) =>
    comment.file === path && comment.line !== null
      ? [{ key: comment.id, side: 'after' as const, line: comment.line, content: <Said comment={comment} /> }]
      : [],
  );
  const form = line !== undefined && {
    key: 'new',
    side: 'after' as const,
    line,
    content: (
      <CommentForm key={line} request={request} place={{ file: path, line }} onDone={() => setLine(undefined)} />
    ),
  };
  return (
    <TwoTexts
      before={before.data}
      after={after.data}
      path={path}
      beside={form ? [...beside, form] : beside}
      {...(can['approvals.comment']?.allowed === true && {
        // The content of the request never changes; the one before it is another one after the next deploy.
        onLine: ({ side, line }) => side === 'after' && setLine(line),
      })}
    />
  );
}
