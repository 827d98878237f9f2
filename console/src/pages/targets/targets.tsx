import type { Target } from '@gantry/contract/assets/targets.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMe } from '../../me.ts';
import { Action } from '../../parts/action/action.tsx';
import { List, type Column } from '../../parts/list/list.tsx';
import { Empty, Page } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';
import { useOrganisationTabs } from '../organisation/tabs.ts';

const columns: readonly Column<Target>[] = [
  { header: 'Target', width: 'minmax(0,1fr)', cell: ({ name }) => name },
  { header: 'You may deploy', width: '110px', cell: ({ deploys }) => (deploys ? 'yes' : 'no') },
  { header: 'Kind', width: '80px', isExtra: true, cell: ({ kind }) => kind },
  {
    header: 'Address',
    width: 'minmax(0,1.6fr)',
    isExtra: true,
    cell: ({ address }) => address ?? 'engine of the service',
  },
  { header: 'Team', width: 'minmax(0,0.8fr)', isExtra: true, cell: ({ team }) => team ?? '–' },
  { header: 'Agents', width: 'minmax(0,1.2fr)', isExtra: true, cell: ({ agents }) => agents.join(', ') || 'none' },
];

export function TargetsPage() {
  const { data: targets, error } = useQuery(ask('targets.list', {}));
  const can = useMe()?.can['targets.set_credential'];
  const navigate = useNavigate();
  return (
    <Page
      title="Targets"
      wide
      about="The machines on which agents run."
      svc="svc target list"
      tabs={useOrganisationTabs()}
      actions={
        // The permission is that of a credential: only platform admins change targets.
        <Action
          can={can}
          svc="svc target add"
          look="main"
          onPress={() => void navigate({ to: '/registry/$kind/new', params: { kind: 'target' } })}
        >
          Add a target
        </Action>
      }
    >
      {error !== null && <Refusal error={error} />}
      {targets === undefined && error === null && <div className="skeleton h-80" />}
      {targets !== undefined && (
        <List
          label="Targets"
          columns={columns}
          rows={targets}
          keyOf={({ name }) => name}
          linkOf={({ name }) => ({ to: '/targets/$name', params: { name } })}
          empty={<Empty>No target is here. The service has no container engine.</Empty>}
        />
      )}
    </Page>
  );
}
