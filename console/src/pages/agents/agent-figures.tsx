// Calls, errors, latency and cost of the last 24 hours, with the deploys and other operations marked.
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import type { AgentFigures as Figures } from '@gantry/contract/models/traces.ts';
import { useQuery } from '@tanstack/react-query';
import { count, duration, money, plural } from '../../parts/figures/figures.ts';
import { Refusal } from '../../parts/refusal.tsx';
import { Trend } from '../../parts/figures/trend.tsx';
import { exactTime } from '../../parts/figures/when.tsx';
import { ask } from '../../server.ts';
import { pastWords } from '../deployments/operation-words.ts';

const every_ms = 10_000;

export function AgentFigures({ name }: { name: string }) {
  // The service writes figures every ten seconds, without an event.
  const figures = useQuery({ ...ask('traces.figures', { params: { name } }), refetchInterval: every_ms });
  const status = useQuery({ ...ask('agents.status', { params: { name } }), refetchInterval: every_ms });
  const deploys = useQuery(ask('deployments.list', { query: { agent: name, limit: 50 } }));
  if (figures.error !== null && figures.data === undefined) return <Refusal error={figures.error} />;
  return (
    <div className="grid grid-cols-4 gap-3 max-wide:grid-cols-2">
      {figures.data === undefined || status.data === undefined ? (
        [1, 2, 3, 4].map((each) => <div key={each} className="skeleton h-34" />)
      ) : (
        <Trends figures={figures.data} day={status.data.last_24h} deploys={deploys.data?.items ?? []} />
      )}
    </div>
  );
}

interface TrendsProps {
  figures: Figures;
  day: { calls: number; errors: number; p50_ms: number | null; p95_ms: number | null };
  deploys: readonly Deployment[];
}

function Trends({ figures: { since, step_seconds, steps }, day, deploys }: TrendsProps) {
  const start = Date.parse(since);
  const step_ms = step_seconds * 1000;
  const from = (n: number) => exactTime(new Date(start + n * step_ms).toISOString()).slice(11, 16);
  const bars = (of: (step: Figures['steps'][number]) => number | null, print: (value: number) => string) =>
    steps.map((step, n) => ({ value: of(step), says: `from ${from(n)}: ${print(of(step) ?? 0)}` }));
  const marks = deploys.flatMap(({ operation, version, state, ended_at }) => {
    const at = ended_at === null ? -1 : (Date.parse(ended_at) - start) / step_ms;
    if (state !== 'done' || ended_at === null || at < 0) return [];
    return [{ at: Math.min(at, steps.length), says: `${pastWords[operation](version)} at ${exactTime(ended_at)}` }];
  });
  const usd = steps.map((step) => step.usd).filter((each) => each !== null);
  const shared = { marks, empty: 'no calls' };
  return (
    <>
      <Trend
        label="Calls"
        total={count(day.calls)}
        bars={bars(
          ({ calls }) => calls,
          (value) => plural(value, 'call'),
        )}
        {...shared}
      />
      <Trend
        label="Errors"
        total={count(day.errors)}
        aside={day.calls > 0 && `${((day.errors / day.calls) * 100).toFixed(day.errors === 0 ? 0 : 1)} % of calls`}
        isFailure
        bars={bars(
          ({ errors }) => errors,
          (value) => `${count(value)} errors`,
        )}
        {...shared}
        empty={day.calls === 0 ? 'no calls' : 'no errors'}
      />
      <Trend
        label="Latency, p50"
        total={duration(day.p50_ms)}
        aside={day.p95_ms !== null && `p95 ${duration(day.p95_ms)}`}
        bars={steps.map(({ p50_ms, p95_ms }, n) => ({
          value: p95_ms,
          within: p50_ms,
          says: `from ${from(n)}: p50 ${duration(p50_ms)}, p95 ${duration(p95_ms)}`,
        }))}
        {...shared}
      />
      <Trend
        label="Cost"
        total={usd.length === 0 ? '–' : money(usd.reduce((sum, each) => sum + Number(each), 0))}
        bars={bars((step) => Number(step.usd), money)}
        {...shared}
        empty={usd.length === 0 ? 'for those who may edit it' : 'no cost'}
      />
    </>
  );
}
