import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { buttonClass } from '../../parts/action/button.tsx';
import { duration } from '../../parts/figures/figures.ts';
import { List, pagesOf, type Column } from '../../parts/list/list.tsx';
import { Empty } from '../../parts/page/page.tsx';
import { When } from '../../parts/figures/when.tsx';
import { askList } from '../../server.ts';
import { shortTitleOf } from '../deployments/operation-words.ts';
import { DeploymentState } from '../deployments/deployment-state.tsx';
import { AgentPage } from './agent-page.tsx';

const route = getRouteApi('/agents/$name/deployments');

const columns: readonly Column<Deployment>[] = [
  { header: 'Operation', width: '150px', cell: (deployment) => shortTitleOf(deployment) },
  { header: 'State', width: '130px', cell: ({ state }) => <DeploymentState state={state} /> },
  { header: 'Reason or note', width: 'minmax(0,2fr)', isExtra: true, cell: (deployment) => reasonOf(deployment) },
  { header: 'By', width: 'minmax(0,1fr)', isExtra: true, cell: ({ actor }) => actor },
  { header: 'Target', width: '70px', isExtra: true, cell: ({ target }) => target },
  {
    header: 'Audit',
    width: '70px',
    isExtra: true,
    align: 'right',
    cell: ({ audit_seq }) => (audit_seq === null ? '–' : `#${audit_seq}`),
  },
  { header: 'Took', width: '90px', isExtra: true, align: 'right', cell: (deployment) => tookOf(deployment) },
  { header: 'Begun', width: '90px', isExtra: true, align: 'right', cell: ({ created_at }) => <When at={created_at} /> },
];

export function DeploymentsPage() {
  const { name } = route.useParams();
  const deployments = useInfiniteQuery(askList('deployments.list', { query: { agent: name, limit: 100 } }));
  return (
    <AgentPage name={name} tab="deployments" wide>
      <List
        label={`Deployments of ${name}`}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/deployments/$id', params: { id } })}
        {...pagesOf(deployments)}
        empty={
          <Empty
            action={
              <Link to="/agents/$name/revisions" params={{ name }} className={buttonClass('plain')}>
                Its versions
              </Link>
            }
          >
            No version of {name} was deployed yet. A deploy takes one version through its steps. Each step is shown
            here.
          </Empty>
        }
      />
    </AgentPage>
  );
}

function reasonOf({ problem, notices }: Deployment) {
  const said = problem?.['detail'] ?? problem?.['title'] ?? notices[0];
  return typeof said === 'string' ? <span className="text-quiet">{said.split('\n')[0]}</span> : null;
}

function tookOf({ created_at, ended_at }: Deployment): string {
  return duration(ended_at === null ? null : Date.parse(ended_at) - Date.parse(created_at));
}
