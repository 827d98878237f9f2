import type { TraceEntry } from '@gantry/contract/models/traces.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { buttonClass } from '../../parts/action/button.tsx';
import { count, duration, money } from '../../parts/figures/figures.ts';
import { ChoiceFilter, Filters } from '../../parts/list/filters.tsx';
import { List, pagesOf, type Column } from '../../parts/list/list.tsx';
import { Empty } from '../../parts/page/page.tsx';
import { State } from '../../parts/figures/state.tsx';
import { useNow, When } from '../../parts/figures/when.tsx';
import { askList } from '../../server.ts';
import { AgentPage } from './agent-page.tsx';

const route = getRouteApi('/agents/$name/traces');

const columns: readonly Column<TraceEntry>[] = [
  { header: 'Call', width: 'minmax(0,1fr)', cell: ({ name }) => name },
  {
    header: 'Status',
    width: '90px',
    cell: ({ status }) => <State meaning={status === 'ok' ? 'good' : 'failed'}>{status}</State>,
  },
  {
    header: 'Error',
    width: 'minmax(0,1.4fr)',
    isExtra: true,
    cell: ({ error }) => <span className="text-quiet">{error}</span>,
  },
  {
    header: 'Trace',
    width: '90px',
    isExtra: true,
    cell: ({ trace_id }) => <span className="font-mono text-quiet">{trace_id.slice(0, 8)}</span>,
  },
  { header: 'Took', width: '90px', align: 'right', isExtra: true, cell: ({ duration_ms }) => duration(duration_ms) },
  {
    header: 'Tokens in',
    width: '80px',
    align: 'right',
    isExtra: true,
    cell: ({ input_tokens }) => count(input_tokens),
  },
  { header: 'Out', width: '70px', align: 'right', isExtra: true, cell: ({ output_tokens }) => count(output_tokens) },
  { header: 'Cost', width: '90px', align: 'right', isExtra: true, cell: ({ usd }) => money(usd) },
  { header: 'Begun', width: '90px', align: 'right', cell: ({ started_at }) => <When at={started_at} /> },
];

const spanStatuses = ['ok', 'error'] as const satisfies readonly TraceEntry['status'][];
const hour_ms = 3_600_000;
const spans = { '1h': hour_ms, '24h': 24 * hour_ms, '7d': 168 * hour_ms } as const;

export function TracesPage() {
  const { name } = route.useParams();
  const { status, since } = route.useSearch();
  const now = useNow(300_000);
  const length_ms = spans[since as keyof typeof spans];
  const from = length_ms === undefined ? undefined : new Date(now - length_ms).toISOString();
  const chosen = spanStatuses.find((each) => each === status);
  const query = {
    agent: name,
    limit: 100,
    ...(chosen !== undefined && { status: chosen }),
    ...(from !== undefined && { since: from }),
  };
  const traces = useInfiniteQuery(askList('traces.list', { query }));
  return (
    <AgentPage name={name} tab="traces" wide>
      <Filters>
        <ChoiceFilter name="status" label="Any status" options={spanStatuses} />
        <ChoiceFilter
          name="since"
          label="Any time"
          options={[
            { value: '1h', label: 'Last hour' },
            { value: '24h', label: 'Last 24 hours' },
            { value: '7d', label: 'Last 7 days' },
          ]}
        />
      </Filters>
      <List
        label={`Traces of ${name}`}
        columns={columns}
        keyOf={({ trace_id, span_id }) => `${trace_id}${span_id}`}
        linkOf={({ trace_id }) => ({ to: '/traces/$id', params: { id: trace_id } })}
        {...pagesOf(traces)}
        empty={
          chosen === undefined && from === undefined ? (
            <Empty
              action={
                <Link to="/talk/$agent/{-$thread}" params={{ agent: name }} className={buttonClass('plain')}>
                  Talk to it
                </Link>
              }
            >
              Nobody has called {name} yet. Each call and each deploy leaves a trace: its steps, their times, tokens and
              cost.
            </Empty>
          ) : (
            <Empty>No call fits these filters.</Empty>
          )
        }
      />
    </AgentPage>
  );
}
