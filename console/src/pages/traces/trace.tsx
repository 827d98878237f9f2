// One trace as a waterfall: what called what, when, how long, for how much. The chosen span shows its content.
import { orderSpans } from '@gantry/contract/models/order-spans.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Span, Trace } from '@gantry/contract/models/traces.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { count, duration, money, plural } from '../../parts/figures/figures.ts';
import { List, type Column } from '../../parts/list/list.tsx';
import { Empty, Page } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { State } from '../../parts/figures/state.tsx';
import { When } from '../../parts/figures/when.tsx';
import { shellWord } from '../../parts/shell-word.ts';
import { ask, waitsForService } from '../../server.ts';
import { Bar, Name } from './row.tsx';
import { SpanPanel } from './span-panel.tsx';

const route = getRouteApi('/traces/$id');

const most_tries = 3;

/** The spans of a call are stored a second after its end. */
const untilStored = (failures: number, error: unknown): boolean =>
  waitsForService(failures, error) || (error instanceof Problem && error.code === 'not_found' && failures < most_tries);

interface Row {
  span: Span;
  depth: number;
}

export function TracePage() {
  const { id } = route.useParams();
  const { span: chosen } = route.useSearch();
  const { data: trace, error } = useQuery({ ...ask('traces.show', { params: { id } }), retry: untilStored });
  const rows = trace && orderSpans(trace.spans);
  const agent = trace?.spans.find((span) => span.agent !== null)?.agent ?? undefined;
  const shown = rows?.find(({ span }) => span.span_id === chosen)?.span ?? rows?.[0]?.span;
  const isChosen = ({ span }: Row) => span.span_id === shown?.span_id;
  return (
    <Page
      title={`Trace ${id.slice(0, 8)}`}
      above={[
        { label: 'Agents', link: { to: '/agents' } },
        ...(agent === undefined
          ? []
          : [
              { label: agent, link: { to: '/agents/$name', params: { name: agent } } as const },
              { label: 'Traces', link: { to: '/agents/$name/traces', params: { name: agent } } as const },
            ]),
      ]}
      wide
      state={trace && <State meaning={trace.status === 'ok' ? 'good' : 'failed'}>{trace.status}</State>}
      about={
        trace === undefined ? (
          <span className="skeleton inline-block h-4 w-96" />
        ) : (
          <span className="flex flex-wrap gap-x-4">
            <When at={trace.started_at} />
            <span>{duration(trace.duration_ms)}</span>
            <span>{plural(trace.spans.length, 'span')}</span>
            <span>
              {count(trace.input_tokens)} tokens in, {count(trace.output_tokens)} out
            </span>
            <span>{money(trace.usd)}</span>
          </span>
        )
      }
      svc={`svc trace show ${shellWord(id)}`}
    >
      {trace === undefined && error !== null && <Refusal error={error} />}
      {trace !== undefined && trace.feedback.length > 0 && <Feedback feedback={trace.feedback} />}
      <div className="grid grid-cols-[minmax(0,1fr)_360px] items-start gap-6 max-wide:grid-cols-1">
        <List
          label="Spans"
          columns={columnsOf(trace)}
          rows={rows}
          keyOf={({ span }) => span.span_id}
          linkOf={({ span }) => ({ to: '.', search: { span: span.span_id }, replace: true, resetScroll: false })}
          isChosen={isChosen}
          empty={<Empty>This trace has no span that you may read.</Empty>}
        />
        {trace !== undefined && shown !== undefined && <SpanPanel span={shown} trace={trace} />}
      </div>
    </Page>
  );
}

function Feedback({ feedback }: Pick<Trace, 'feedback'>) {
  return (
    <ul aria-label="What its caller thinks" className="mb-4 flex flex-col gap-1">
      {feedback.map(({ run_id, is_good, reason }) => (
        <li key={run_id} className="flex flex-wrap items-baseline gap-x-2">
          <State meaning={is_good ? 'good' : 'failed'}>{is_good ? 'good answer' : 'bad answer'}</State>
          <span className="break-words">{reason}</span>
        </li>
      ))}
    </ul>
  );
}

function columnsOf(trace: Trace | undefined): readonly Column<Row>[] {
  return [
    { header: 'Span', width: 'minmax(0,1.4fr)', cell: ({ span, depth }) => <Name span={span} depth={depth} /> },
    {
      header: trace === undefined ? 'Time' : `0 – ${duration(trace.duration_ms)}`,
      width: 'minmax(0,1fr)',
      isExtra: true,
      cell: ({ span }) => trace && <Bar span={span} trace={trace} />,
    },
    { header: 'Took', width: '56px', align: 'right', cell: ({ span }) => duration(span.duration_ms) },
    { header: 'Tokens', width: '64px', align: 'right', isExtra: true, cell: ({ span }) => tokensOf(span) },
    {
      header: 'Cost',
      width: '64px',
      align: 'right',
      isExtra: true,
      cell: ({ span }) => (span.usd === null ? null : money(span.usd)),
    },
  ];
}

function tokensOf({ input_tokens, output_tokens }: Span): string | null {
  return input_tokens === null && output_tokens === null ? null : `${count(input_tokens)} → ${count(output_tokens)}`;
}
