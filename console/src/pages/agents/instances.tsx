// The instances of an agent, where it has more than one.
import type { AgentStatus } from '@gantry/contract/agents/deploy.ts';
import { useQuery } from '@tanstack/react-query';
import { List, type Column } from '../../parts/list/list.tsx';
import { Section } from '../../parts/page/page.tsx';
import { ask } from '../../server.ts';
import { AgentState } from './agent-state.tsx';

type Instance = AgentStatus['instances'][number];

const columns: readonly Column<Instance>[] = [
  { header: 'Instance', width: '60px', cell: ({ n }) => n },
  { header: 'State', width: '100px', cell: ({ state }) => <AgentState state={state} /> },
  {
    header: 'Reason',
    width: 'minmax(0,1fr)',
    isExtra: true,
    cell: (instance) => (
      <span className="text-quiet" title={reasonOf(instance)}>
        {reasonOf(instance).split('\n')[0]}
      </span>
    ),
  },
  { header: 'Calls', width: '40px', isExtra: true, align: 'right', cell: ({ in_flight }) => in_flight ?? '–' },
  { header: 'Restarts', width: '60px', isExtra: true, align: 'right', cell: ({ restarts }) => restarts },
];

// Without a restart, the last reason is that of its first start.
function reasonOf({ detail, last_exit, restarts }: Instance): string {
  return restarts > 0 ? (last_exit ?? detail) : detail;
}

export function Instances({ name }: { name: string }) {
  const { data: status } = useQuery(ask('agents.status', { params: { name } }));
  if (status === undefined || status.instances.length < 2) return null;
  return (
    <Section title={status.targets.length > 1 ? `Instances on ${status.target ?? ''}` : 'Instances'}>
      <List label="Instances" columns={columns} rows={status.instances} keyOf={({ id }) => id} empty={null} />
    </Section>
  );
}
