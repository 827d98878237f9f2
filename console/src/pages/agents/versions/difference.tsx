import type { AssetDetail } from '@gantry/contract/assets/registry.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import { Empty } from '../../../parts/page/page.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { ask } from '../../../server.ts';
import { AgentPage } from '../agent-page.tsx';
import { VersionChanges } from './version-changes.tsx';
import { VersionChoice } from './version-choice.tsx';

const route = getRouteApi('/agents/$name/difference');

export function DifferencePage() {
  const { name } = route.useParams();
  const search = route.useSearch();
  const { data: asset } = useQuery(ask('registry.show', { params: { kind: 'agent', name } }));
  const pair = asset && pairOf(asset, search);
  return (
    <AgentPage
      name={name}
      tab="difference"
      {...(pair !== undefined && { svc: `svc diff agents/${name}@${pair.from} agents/${name}@${pair.to}` })}
    >
      {asset === undefined && <div className="skeleton h-96" />}
      {asset !== undefined && pair === undefined && (
        <Empty>
          A difference needs two versions. {name} has {asset.versions.length === 1 ? 'one' : 'none'}.
        </Empty>
      )}
      {asset !== undefined && pair !== undefined && (
        <>
          <div className="mb-5 flex flex-wrap items-center gap-2">
            <VersionChoice name="from" label="From" asset={asset} value={pair.from} />
            <ArrowRight size={14} aria-hidden className="text-quiet" />
            <VersionChoice name="to" label="To" asset={asset} value={pair.to} />
          </div>
          <Compared name={name} {...pair} />
        </>
      )}
    </AgentPage>
  );
}

interface Pair {
  from: string;
  to: string;
}

/** From the serving version to the newest one, where the address says nothing else. */
function pairOf({ versions, serving_version, latest_version }: AssetDetail, search: Partial<Pair>): Pair | undefined {
  const to = search.to ?? latest_version ?? undefined;
  const others = versions.map(({ version }) => version).filter((version) => version !== to);
  const from = search.from ?? others.find((version) => version === serving_version) ?? others[0];
  return from === undefined || to === undefined ? undefined : { from, to };
}

function Compared({ name, from, to }: { name: string } & Pair) {
  const { data, error } = useQuery(
    ask('registry.difference', { params: { kind: 'agent', name }, query: { from, to } }),
  );
  if (error !== null) return <Refusal error={error} />;
  if (data === undefined) return <div className="skeleton h-96" />;
  if (from === to) return <Empty>Choose two different versions.</Empty>;
  return <VersionChanges name={name} from={from} to={to} changes={data.changes} />;
}
