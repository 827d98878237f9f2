import type { AssetDetail } from '@gantry/contract/assets/registry.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Digest } from '../../../parts/copy.tsx';
import { List, type Column } from '../../../parts/list/list.tsx';
import { Empty } from '../../../parts/page/page.tsx';
import { State } from '../../../parts/figures/state.tsx';
import { When } from '../../../parts/figures/when.tsx';
import { ask } from '../../../server.ts';
import { AgentPage } from '../agent-page.tsx';
import { VersionActions } from './version-actions.tsx';

const route = getRouteApi('/agents/$name/revisions');

type Version = AssetDetail['versions'][number];

export function RevisionsPage() {
  const { name } = route.useParams();
  const { data: asset, error } = useQuery(ask('registry.show', { params: { kind: 'agent', name } }));
  const columns = useMemo(() => columnsOf(asset), [asset]);
  return (
    <AgentPage name={name} tab="revisions" wide>
      <List
        label={`Versions of ${name}`}
        columns={columns}
        rows={asset?.versions}
        error={error}
        keyOf={({ id }) => id}
        linkOf={({ version }) => ({ to: '/agents/$name/config', params: { name }, search: { version } })}
        empty={<Empty>{name} has no version yet. A push makes one: type svc deploy in its folder.</Empty>}
      />
    </AgentPage>
  );
}

function columnsOf(asset: AssetDetail | undefined): readonly Column<Version>[] {
  return [
    { header: 'Version', width: '80px', cell: ({ version }) => version },
    {
      header: 'State',
      width: '100px',
      cell: ({ version, state }) =>
        version === asset?.serving_version ? (
          <State meaning="good">serving</State>
        ) : (
          <State meaning={state === 'draft' ? 'none' : 'stopped'}>{state}</State>
        ),
    },
    {
      header: 'Approval',
      width: '120px',
      isExtra: true,
      cell: ({ approved }) => (
        <State meaning={approved ? 'good' : 'none'}>{approved ? 'approved' : 'not approved'}</State>
      ),
    },
    {
      header: 'Message',
      width: 'minmax(0,2fr)',
      isExtra: true,
      cell: ({ message }) => <span className="text-quiet">{message}</span>,
    },
    { header: 'Digest', width: '130px', isExtra: true, cell: ({ digest }) => <Digest digest={digest} /> },
    { header: 'Pushed by', width: 'minmax(0,1fr)', isExtra: true, cell: ({ pushed_by }) => pushed_by },
    {
      header: 'Pushed',
      width: '84px',
      isExtra: true,
      align: 'right',
      cell: ({ created_at }) => <When at={created_at} />,
    },
    {
      header: 'Actions',
      width: '56px',
      align: 'right',
      cell: (version) => asset && <VersionActions asset={asset} version={version} />,
    },
  ];
}
