import type { AgentRun } from '@gantry/contract/models/traces.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { duration } from '../../parts/figures/figures.ts';
import { List, type Column } from '../../parts/list/list.tsx';
import { Empty, Section } from '../../parts/page/page.tsx';
import { State } from '../../parts/figures/state.tsx';
import { When } from '../../parts/figures/when.tsx';
import { ask } from '../../server.ts';

const columns: readonly Column<AgentRun>[] = [
  { header: 'Started', width: '90px', cell: ({ started_at }) => <When at={started_at} /> },
  {
    header: 'Result',
    width: '120px',
    cell: ({ status, error }) => (
      <State meaning={status === 'ok' ? 'good' : error === 'guardrail_blocked' ? 'stopped' : 'failed'}>
        {status === 'ok' ? 'answered' : error === 'guardrail_blocked' ? 'blocked' : (error ?? 'failed')}
      </State>
    ),
  },
  { header: 'Caller', width: 'minmax(0,1fr)', isExtra: true, cell: ({ caller }) => caller ?? 'a removed user' },
  { header: 'Way', width: '60px', isExtra: true, cell: ({ name }) => name },
  { header: 'Took', width: '70px', isExtra: true, align: 'right', cell: ({ duration_ms }) => duration(duration_ms) },
];

const shown = 12;
const every_ms = 10_000;

export function RecentRuns({ name }: { name: string }) {
  // The service writes runs every ten seconds, without an event.
  const runs = useQuery({
    ...ask('traces.runs', { params: { name }, query: { limit: shown } }),
    refetchInterval: every_ms,
  });
  return (
    <Section
      title="Recent runs"
      aside={
        <Link to="/agents/$name/traces" params={{ name }} className="text-accent">
          all traces
        </Link>
      }
    >
      <List
        label="Recent runs"
        columns={columns}
        rows={runs.data?.items}
        error={runs.error}
        keyOf={({ run_id }) => run_id}
        linkOf={({ trace_id }) => ({ to: '/traces/$id', params: { id: trace_id } })}
        empty={
          <Empty
            action={
              <Link to="/talk/$agent/{-$thread}" params={{ agent: name }} className="text-accent">
                Talk to it
              </Link>
            }
          >
            Nobody has called it in the last 7 days, as far as you may see. A run is here ten seconds after its end.
          </Empty>
        }
      />
    </Section>
  );
}
