import type { OrchestrationConfig, OrchestrationMember } from '@gantry/project/orchestration-yaml.ts';
import { useQuery } from '@tanstack/react-query';
import { List, type Column } from '../../../parts/list/list.tsx';
import { Section } from '../../../parts/page/page.tsx';
import { State } from '../../../parts/figures/state.tsx';
import { ask } from '../../../server.ts';
import { memberLink } from './agent-name.ts';
import { MemberState } from './member-state.tsx';
import { shapeOf } from '../graph/shape.ts';

/** The graph in words: each member, its agent, and whether it can be called. */
export function Members({ name, config }: { name: string; config: OrchestrationConfig | undefined }) {
  const { data: check } = useQuery(ask('orchestrations.check', { params: { name }, query: {} }));
  const columns = columnsOf(new Set(check?.faults.map(({ member }) => member)), config);
  return (
    <Section title="Members">
      <List
        label="Members"
        columns={columns}
        rows={config?.agents}
        keyOf={(member) => member.name}
        linkOf={({ ref }) => memberLink(ref)}
        empty={null}
      />
    </Section>
  );
}

function columnsOf(
  faults: ReadonlySet<string>,
  config: OrchestrationConfig | undefined,
): readonly Column<OrchestrationMember>[] {
  return [
    { header: 'Member', width: 'minmax(0,1fr)', cell: ({ name }) => name },
    { header: 'Refers to', width: 'minmax(0,1.4fr)', cell: ({ ref }) => <span className="font-mono">{ref}</span> },
    {
      header: 'State',
      width: '110px',
      cell: ({ name, ref }) =>
        faults.has(name) ? <State meaning="failed">not callable</State> : <MemberState of={ref} />,
    },
    {
      header: 'If it fails',
      width: 'minmax(0,1fr)',
      isExtra: true,
      cell: (member) => config && <span className="text-quiet">{afterFailure(member, config)}</span>,
    },
  ];
}

function afterFailure({ name, fallback }: OrchestrationMember, config: OrchestrationConfig): string {
  const { strategy, on_error, supervisor_config = {} } = config;
  if (!isCalled(name, config)) return 'never called';
  if (fallback !== undefined) return `calls ${fallback}`;
  const isWorker = name !== supervisor_config.merge_agent && name !== supervisor_config.supervisor_agent;
  const goesOn = on_error === 'continue' && strategy !== 'router' && isWorker;
  return goesOn ? 'goes on without it' : 'ends the run';
}

/** A member can hold the routes alone. */
function isCalled(name: string, config: OrchestrationConfig): boolean {
  const isDrawn = shapeOf(config).nodes.some(({ member }) => member?.name === name);
  return isDrawn || config.agents.some(({ fallback }) => fallback === name);
}
