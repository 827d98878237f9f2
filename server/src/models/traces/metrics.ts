// Counters of this process in the text format of Prometheus, under the names of OpenTelemetry's conventions for generative AI.
import type { Span } from './span.ts';
import { bucketOf } from './latency.ts';

export interface Metrics {
  add(spans: readonly Span[]): void;
  print: () => string;
}

/** "Bucket boundaries" of the conventions. */
const duration_bounds_s = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const token_bounds = Array.from({ length: 14 }, (_, n) => 4 ** n);
/** The limit of one metric. Further series are left out: their number must not grow with what callers send. */
const max_series = 2000;

export function openMetrics(lost: () => Readonly<Record<string, number>>): Metrics {
  const duration = histogram({
    name: 'gen_ai_client_operation_duration_seconds',
    help: 'Time of calls to agents and models',
    bounds: duration_bounds_s,
  });
  const tokens = histogram({
    name: 'gen_ai_client_token_usage',
    help: 'Tokens of calls to models',
    bounds: token_bounds,
  });
  return {
    add: (spans) => {
      for (const span of spans) {
        if (span.source !== 'gateway' && span.source !== 'ingress') continue;
        const labels = labelsOf(span);
        duration.observe(
          { ...labels, ...(span.error && { error_type: span.error }) },
          (span.ended_us - span.started_us) / 1e6,
        );
        if (span.source === 'ingress') continue;
        tokens.observe({ ...labels, gen_ai_token_type: 'input' }, span.input_tokens ?? 0);
        tokens.observe({ ...labels, gen_ai_token_type: 'output' }, span.output_tokens ?? 0);
      }
    },
    print: () => {
      const losses = Object.entries(lost()).map(
        ([reason, spans]) => `gantry_spans_lost_total${printLabels({ reason })} ${spans}`,
      );
      return [
        ...duration.print(),
        ...tokens.print(),
        '# HELP gantry_spans_lost_total Spans that were not stored or not sent',
        '# TYPE gantry_spans_lost_total counter',
        ...losses,
        '',
      ].join('\n');
    },
  };
}

type Labels = Readonly<Record<string, string>>;

// A caller chooses the requested name, so only names that led to a model are labels.
function labelsOf({ source, kind, name, provider, model }: Span): Labels {
  if (source === 'ingress')
    return { gen_ai_operation_name: 'invoke_agent', gen_ai_agent_name: name.slice(name.indexOf(' ') + 1) };
  return {
    gen_ai_operation_name: kind === 'embedding' ? 'embeddings' : kind === 'retriever' ? 'rerank' : 'chat',
    ...(provider !== null && { gen_ai_provider_name: provider, gen_ai_request_model: model ?? '' }),
  };
}

interface Series {
  labels: Labels;
  buckets: number[];
  sum: number;
}

function histogram({ name, help, bounds }: { name: string; help: string; bounds: readonly number[] }) {
  const all = new Map<string, Series>();
  return {
    observe: (labels: Labels, value: number) => {
      const key = JSON.stringify(labels);
      const known = all.get(key);
      if (known === undefined && all.size >= max_series) return;
      const series = known ?? { labels, buckets: Array<number>(bounds.length + 1).fill(0), sum: 0 };
      const bucket = bucketOf(value, bounds);
      series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
      series.sum += value;
      all.set(key, series);
    },
    print: () => [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...[...all.values()].flatMap(printSeries)],
  };

  function printSeries({ labels, buckets, sum }: Series): string[] {
    let count = 0;
    const lines = buckets.map((amount, n) => {
      count += amount;
      return `${name}_bucket${printLabels({ ...labels, le: String(bounds[n] ?? '+Inf') })} ${count}`;
    });
    return [...lines, `${name}_sum${printLabels(labels)} ${sum}`, `${name}_count${printLabels(labels)} ${count}`];
  }
}

function printLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  );
  return `{${pairs.join(',')}}`;
}
