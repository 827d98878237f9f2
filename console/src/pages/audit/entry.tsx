import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Empty, Page } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { State } from '../../parts/figures/state.tsx';
import { ask } from '../../server.ts';
import { EntryFacts } from './entry-facts.tsx';
import { ProofAction } from './proof-action.tsx';
import { actorOf, sentenceOf } from '@gantry/contract/audit/audit-sentence.ts';

const route = getRouteApi('/audit/$chain/$seq');

export function EntryPage() {
  const { chain, seq } = route.useParams();
  const number = `${chain}/${seq}`;
  const { data, error } = useQuery(ask('audit.list', { query: { entry: number, limit: 1 } }));
  const entry = data?.items[0];
  return (
    <Page
      title={number}
      above={[{ label: 'Audit', link: { to: '/audit' } }]}
      state={
        entry &&
        (entry.outcome === 'refused' ? <State meaning="failed">refused</State> : <State meaning="good">done</State>)
      }
      about={entry && `${actorOf(entry)} ${sentenceOf(entry)}`}
      svc={`svc audit --entry ${number}`}
      actions={<ProofAction chain={chain} seq={seq} />}
    >
      {error !== null && <Refusal error={error} />}
      {data !== undefined && entry === undefined && (
        <Empty>There is no such entry that you may read. Entries are about what you did, own or administer.</Empty>
      )}
      {data === undefined && error === null && <div className="skeleton h-96" />}
      {entry !== undefined && <EntryFacts entry={entry} />}
    </Page>
  );
}
