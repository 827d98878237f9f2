// The text of a document as it was read, with a cited passage marked. It is text of others: it is shown as text, and nothing in it acts.
import type { DocumentText } from '@gantry/contract/agents/knowledge.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { Digest } from '../../parts/copy.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';
import { Erase } from './erase.tsx';

const route = getRouteApi('/knowledge/$name/documents/$document');
/** Around the passage. */
const around_bytes = 60_000;

export function DocumentPage() {
  const { name, document } = route.useParams();
  const { start: given_start, end: given_end } = route.useSearch();
  const [start, end] = [byteAt(given_start), byteAt(given_end)];
  const from = Math.max(0, (start ?? 0) - around_bytes);
  const { data: text, error } = useQuery(
    ask('knowledge.text', { params: { name, document }, query: { start: from, end: from + 3 * around_bytes } }),
  );
  const { data: base } = useQuery(ask('registry.show', { params: { kind: 'knowledge-base', name } }));
  return (
    <Page
      title={text?.title ?? 'Document'}
      above={[
        { label: 'Registry', link: { to: '/registry' } },
        { label: 'Knowledge bases', link: { to: '/registry', search: { kind: 'knowledge-base' } } },
        { label: name, link: { to: '/knowledge/$name', params: { name } } },
      ]}
      about={text?.path}
      actions={text !== undefined && <Erase name={name} path={text.path} can={base?.can['registry.edit']} />}
    >
      {error !== null && <Refusal error={error} />}
      {text === undefined && error === null && <div className="skeleton h-80" />}
      {text !== undefined && (
        <>
          <p className="mb-3 text-meta text-quiet">
            {text.base} · <Digest digest={text.digest} />
            {(text.start > 0 || text.end < text.bytes) && ` · bytes ${text.start} to ${text.end} of ${text.bytes}`}
          </p>
          <Marked text={text} start={start} end={end} />
        </>
      )}
    </Page>
  );
}

function byteAt(given: string | undefined): number | undefined {
  const number = Number(given);
  return given !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function Marked({ text, start, end }: { text: DocumentText; start: number | undefined; end: number | undefined }) {
  const show = useCallback((mark: HTMLElement | null) => mark?.scrollIntoView({ block: 'center' }), []);
  const bytes = new TextEncoder().encode(text.text);
  const part = (first: number, last?: number) =>
    new TextDecoder().decode(bytes.subarray(first, last === undefined ? undefined : Math.max(first, last)));
  const isMarked = start !== undefined && end !== undefined && start >= text.start && end <= text.end && start < end;
  return (
    <div className="max-w-[800px] whitespace-pre-wrap break-words rounded border border-line bg-raised px-4 py-3">
      {isMarked ? (
        <>
          {part(0, start - text.start)}
          <mark ref={show} className="bg-waiting-soft text-text">
            {part(start - text.start, end - text.start)}
          </mark>
          {part(end - text.start)}
        </>
      ) : (
        text.text
      )}
    </div>
  );
}
