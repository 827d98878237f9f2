// Conversations of others with one agent that are shared with the reader. They have no title: its words are read on record only.
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '../../../parts/action/button.tsx';
import { When } from '../../../parts/figures/when.tsx';
import { pagesOf } from '../../../parts/list/list.tsx';
import { askList } from '../../../server.ts';

export function SharedWithMe({ agent, onChosen }: { agent: string; onChosen: () => void }) {
  const shared = useInfiniteQuery(askList('threads.shared', { params: { name: agent }, query: {} }));
  const { rows = [], more } = pagesOf(shared);
  if (rows.length === 0) return null;
  return (
    <section aria-label="Shared with you" className="flex max-h-[40%] flex-col gap-1 border-t border-line pt-2">
      <h2 className="px-2 text-meta font-strong text-quiet">Shared with you</h2>
      <ul className="flex min-h-0 flex-col gap-0.5 overflow-y-auto">
        {rows.map(({ id, owner, with: reader, ends_at }) => (
          <li key={id}>
            <Link
              to="/talk/$agent/shared/$share"
              params={{ agent, share: id }}
              onClick={onChosen}
              className="block rounded px-2 py-1.5 hover:bg-hover aria-[current=page]:bg-accent-soft"
            >
              <span className="block truncate">{owner}</span>
              <span className="block truncate text-meta text-quiet">
                {reader.startsWith('team:') && `${reader}, `}ends <When at={ends_at} />
              </span>
            </Link>
          </li>
        ))}
        {more !== undefined && (
          <li>
            <Button look="quiet" onClick={more}>
              Older shares
            </Button>
          </li>
        )}
      </ul>
    </section>
  );
}
