// The calls of a run as a tree: rounds and fallbacks are below what they belong to. It says in words what the graph shows.
import type { OrchestrationConfig } from '@gantry/project/orchestration-yaml.ts';
import { count, duration, money } from '../../../parts/figures/figures.ts';
import { List, type Column } from '../../../parts/list/list.tsx';
import { Empty } from '../../../parts/page/page.tsx';
import { State } from '../../../parts/figures/state.tsx';
import { useNow } from '../../../parts/figures/when.tsx';
import { agentNameOf } from '../members/agent-name.ts';
import { depthOf, meanings, stateOfCall, tookOf, type Call } from './calls.ts';

interface CallTableProps {
  name: string;
  run_id: string | undefined;
  calls: readonly Call[] | undefined;
  hasEnded: boolean;
  config: OrchestrationConfig;
  isChosen?: (call: Call) => boolean;
}

type Shown = Pick<CallTableProps, 'hasEnded' | 'config'> & { calls: readonly Call[] };

const tick_ms = 500;
const indent_px = 14;

export function CallTable({ name, run_id, calls, hasEnded, config, isChosen }: CallTableProps) {
  return (
    <List
      label="Calls"
      columns={columnsOf({ calls: calls ?? [], hasEnded, config })}
      rows={calls}
      keyOf={({ path }) => path}
      {...(run_id !== undefined && {
        linkOf: ({ path }: Call) => ({
          to: '/orchestrations/$name/history/$run',
          params: { name, run: run_id },
          search: { call: path },
          resetScroll: false,
        }),
      })}
      {...(isChosen !== undefined && { isChosen })}
      empty={<Empty>{hasEnded ? 'No member was called.' : 'The first call begins.'}</Empty>}
    />
  );
}

function columnsOf({ calls, hasEnded, config }: Shown): readonly Column<Call>[] {
  const stateOf = (call: Call) => stateOfCall(call, hasEnded);
  return [
    {
      header: 'Call',
      width: 'minmax(0,1.4fr)',
      cell: ({ path }) => <span style={{ paddingLeft: depthOf(path) * indent_px }}>{path}</span>,
    },
    {
      header: 'State',
      width: '96px',
      cell: (call) => <State meaning={meanings[stateOf(call)]}>{stateOf(call)}</State>,
    },
    {
      header: 'Agent',
      width: 'minmax(0,1.2fr)',
      isExtra: true,
      cell: ({ agent, version, member, path }) => {
        // A call that has failed does not name its agent.
        const own = path.includes('/') ? undefined : config.agents.find(({ name }) => name === member)?.ref;
        const ref = agent ?? own;
        return <span className="text-quiet">{ref === undefined ? '–' : `${agentNameOf(ref)} ${version ?? ''}`}</span>;
      },
    },
    { header: 'When', width: 'minmax(0,1fr)', isExtra: true, cell: (call) => <Bar call={call} of={calls} /> },
    { header: 'Took', width: '64px', align: 'right', cell: (call) => <Took call={call} isOpen={!hasEnded} /> },
    {
      header: 'Tokens',
      width: '56px',
      align: 'right',
      isExtra: true,
      cell: ({ input_tokens, output_tokens }) =>
        input_tokens === undefined ? '–' : count(input_tokens + (output_tokens ?? 0)),
    },
    { header: 'Cost', width: '72px', align: 'right', isExtra: true, cell: ({ cost_usd }) => money(cost_usd) },
  ];
}

function Took({ call, isOpen }: { call: Call; isOpen: boolean }) {
  if (call.ended_at === null && isOpen) return <Running call={call} />;
  return duration(call.ended_at === null ? null : tookOf(call, 0));
}

function Running({ call }: { call: Call }) {
  return duration(tookOf(call, useNow(tick_ms)));
}

/** Its time within that of all calls. */
function Bar({ call, of }: { call: Call; of: readonly Call[] }) {
  const now = useNow(tick_ms);
  const from = Math.min(...of.map(({ started_at }) => Date.parse(started_at ?? new Date(now).toISOString())));
  const until = Math.max(...of.map(({ ended_at }) => (ended_at === null ? now : Date.parse(ended_at))), from + 1);
  if (call.started_at === null) return null;
  const left = ((Date.parse(call.started_at) - from) / (until - from)) * 100;
  const width = ((tookOf(call, now) ?? 0) / (until - from)) * 100;
  const look = {
    good: 'bg-good',
    failed: 'bg-failed',
    stopped: 'bg-stopped',
    waiting: 'bg-waiting',
    none: 'bg-stopped',
  };
  return (
    <span
      role="img"
      aria-label={`begins after ${duration(Date.parse(call.started_at) - from)}`}
      className="relative block h-3 rounded-small bg-sunken"
    >
      <span
        className={`absolute inset-y-0 min-w-[3px] rounded-small ${look[meanings[stateOfCall(call, false)]]}`}
        style={{ left: `${Math.min(99, left)}%`, width: `${Math.min(100 - left, width)}%` }}
      />
    </span>
  );
}
