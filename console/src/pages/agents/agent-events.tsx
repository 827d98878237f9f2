// What the service did with the agent's containers by itself.
import type { AgentEvent, AgentEventKind } from '@gantry/contract/agents/agent-events.ts';
import { useQuery } from '@tanstack/react-query';
import { List, type Column } from '../../parts/list/list.tsx';
import { Section } from '../../parts/page/page.tsx';
import { State, type Meaning } from '../../parts/figures/state.tsx';
import { When } from '../../parts/figures/when.tsx';
import { ask } from '../../server.ts';

const kinds: Record<AgentEventKind, readonly [Meaning, string]> = {
  started: ['good', 'started'],
  start_failed: ['failed', 'start failed'],
  ended: ['failed', 'ended'],
  rebuilding: ['waiting', 'rebuilding'],
  rebuilt: ['good', 'rebuilt'],
  scaled_up: ['good', 'scaled up'],
  scaled_down: ['stopped', 'scaled down'],
  no_room: ['waiting', 'no room'],
  slept: ['stopped', 'fell asleep'],
  woke: ['good', 'woke'],
  crashing: ['failed', 'crashes'],
  steady: ['good', 'steady again'],
};

function meaningOf({ kind, reason }: AgentEvent): readonly [Meaning, string] {
  return kind === 'ended' && reason === 'stopped' ? ['stopped', 'stopped'] : kinds[kind];
}

const columns: readonly Column<AgentEvent>[] = [
  { header: 'When', width: '90px', cell: ({ at }) => <When at={at} /> },
  {
    header: 'What',
    width: '120px',
    cell: (event) => <State meaning={meaningOf(event)[0]}>{meaningOf(event)[1]}</State>,
  },
  {
    header: 'Detail',
    width: 'minmax(0,1fr)',
    isExtra: true,
    cell: ({ detail }) => (
      <span className="text-quiet" title={detail}>
        {detail.split('\n')[0]}
      </span>
    ),
  },
  { header: 'Instance', width: '60px', isExtra: true, align: 'right', cell: ({ instance }) => instance ?? '–' },
];

const shown = 8;

export function AgentEvents({ name }: { name: string }) {
  const { data } = useQuery(ask('agents.events', { params: { name }, query: { limit: shown } }));
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Section title="Containers">
      <List
        label="What the service did with its containers"
        columns={columns}
        rows={data.items}
        keyOf={({ id }) => String(id)}
        empty={null}
      />
    </Section>
  );
}
