import type { ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import type { Difference } from '@gantry/contract/assets/difference.ts';
import { getRouteApi } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { bytes, plural } from '../../parts/figures/figures.ts';
import { Empty } from '../../parts/page/page.tsx';
import { FileDifference } from './file-difference.tsx';
import { signs } from './signs.ts';

type ChangedFile = Difference['files'][number];

const route = getRouteApi('/approvals/$id');
/** So many are open from the start. */
const most_open = 5;

const reasons = {
  not_permitted: 'The text of a file is for people who may write this asset.',
  binary: 'This is not a text.',
  too_large: 'This change is too large to show.',
} as const;

export function Files({ request }: { request: ApprovalDetail }) {
  const { file } = route.useSearch();
  const { files } = request.changes;
  if (files.length === 0) return <Empty>No file has changed.</Empty>;
  return (
    <>
      {files.map((changed) => (
        <File
          key={changed.path}
          request={request}
          changed={changed}
          isOpenFirst={files.length <= most_open || changed.path === file}
        />
      ))}
      {request.is_current && request.can['approvals.comment']?.allowed === true && (
        <p className="text-meta text-quiet">To comment on a line, press its number in the new text.</p>
      )}
    </>
  );
}

function File({
  request,
  changed,
  isOpenFirst,
}: {
  request: ApprovalDetail;
  changed: ChangedFile;
  isOpenFirst: boolean;
}) {
  const { path, change, before_bytes, after_bytes, no_diff } = changed;
  const [isOpen, setOpen] = useState(isOpenFirst);
  const { sign, look, word } = signs[change];
  const comments = request.comments.filter(({ file }) => file === path).length;
  return (
    <details
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group mb-3 rounded border border-line bg-raised"
    >
      <summary className="flex h-9 list-none items-center gap-2 px-3 text-meta hover:bg-hover">
        <ChevronRight size={14} aria-hidden className="shrink-0 text-quiet group-open:rotate-90" />
        <span className={`font-mono ${look}`} title={word}>
          {sign}
          <span className="sr-only">{word}</span>
        </span>
        <span className="min-w-0 truncate font-mono">{path}</span>
        {comments > 0 && <span className="text-quiet">{plural(comments, 'comment')}</span>}
        <span className="ml-auto shrink-0 text-quiet">
          {[before_bytes, after_bytes].flatMap((size) => (size === null ? [] : bytes(size))).join(' → ')}
        </span>
      </summary>
      {isOpen && (
        <div className="border-t border-line [&>div]:rounded-none [&>div]:border-0">
          {no_diff === null ? (
            <FileDifference request={request} changed={changed} />
          ) : (
            <p className="px-3 py-2.5 text-quiet">{reasons[no_diff]}</p>
          )}
        </div>
      )}
    </details>
  );
}
