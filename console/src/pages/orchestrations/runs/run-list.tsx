import type { ListedOrchestrationRun } from '@gantry/contract/agents/orchestrations.ts';
import type { RunState as State } from '@gantry/contract/agents/run-states.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { duration } from '../../../parts/figures/figures.ts';
import { List, pagesOf, type Column } from '../../../parts/list/list.tsx';
import { Empty } from '../../../parts/page/page.tsx';
import { When } from '../../../parts/figures/when.tsx';
import { askList } from '../../../server.ts';
import { RunState, toldState } from './run-state.tsx';

const runColumn: Column<ListedOrchestrationRun> = {
  header: 'Run',
  width: '72px',
  isExtra: true,
  align: 'right',
  cell: ({ run_id }) => <span className="font-mono text-quiet">{run_id.slice(-8)}</span>,
};

const columnsOf = (isWhole: boolean): readonly Column<ListedOrchestrationRun>[] => [
  { header: 'Started', width: '90px', cell: ({ created_at }) => <When at={created_at} /> },
  {
    header: 'State',
    width: '130px',
    cell: (run) => <RunState state={toldState(run)} reason={run.problem_code} />,
  },
  { header: 'Version', width: '70px', isExtra: true, cell: ({ ref }) => ref.split('@')[1] ?? '' },
  { header: 'Caller', width: 'minmax(0,1fr)', isExtra: true, cell: ({ caller }) => caller },
  {
    header: 'Took',
    width: '72px',
    align: 'right',
    cell: ({ created_at, ended_at }) =>
      duration(ended_at === null ? null : Date.parse(ended_at) - Date.parse(created_at)),
  },
  ...(isWhole ? [runColumn] : []),
];

const whole = columnsOf(true);
const part = columnsOf(false);

const every_ms = 5000;

interface RunListProps {
  name: string;
  limit: number;
  state?: string | undefined;
  version?: string | undefined;
  /** Loads more on scroll. */
  isWhole?: boolean;
}

export function RunList({ name, limit, state, version, isWhole = false }: RunListProps) {
  // The service refuses a state that it does not know.
  const query = { limit, version, state: state as State | undefined };
  const runs = useInfiniteQuery({
    ...askList('orchestrate.runs', { params: { name }, query }),
    refetchInterval: every_ms,
  });
  const { rows, error, more } = pagesOf(runs);
  return (
    <List
      label="Runs"
      columns={isWhole ? whole : part}
      rows={rows}
      error={error}
      more={isWhole ? more : undefined}
      keyOf={({ run_id }) => run_id}
      linkOf={({ run_id }) => ({ to: '/orchestrations/$name/history/$run', params: { name, run: run_id } })}
      empty={
        <Empty
          action={
            <Link to="/orchestrations/$name/try" params={{ name }} className="text-accent">
              Try it
            </Link>
          }
        >
          {state === undefined && version === undefined
            ? 'No runs yet, as far as you may see. A run is one call, with the calls of the members in it.'
            : 'No run that you may see fits these filters.'}
        </Empty>
      }
    />
  );
}
