import type { Span, Trace } from '@gantry/contract/traces.ts';
import { bad, faint, fields, line, strong, table, time, verbatim, type Cell, type View } from '../view/view.ts';
import { orderSpans } from './order-spans.ts';

/** The tree of spans; with `content` also what went in and came out. */
export function describeTrace(trace: Trace, { content }: { content: boolean }): View {
  const ordered = orderSpans(trace.spans);
  const first = Date.parse(trace.started_at);
  return [
    line(strong(trace.trace_id), trace.status === 'error' ? bad('  error') : ''),
    fields({
      Started: time(trace.started_at),
      Took: printMs(trace.duration_ms),
      Tokens: `${trace.input_tokens} in, ${trace.output_tokens} out`,
      Cost: `$${trace.usd}`,
    }),
    table(
      ['span', 'agent', 'at', 'took', 'tokens in', 'out', 'usd', 'error'],
      ordered.map(({ span, depth }) => [
        `${'  '.repeat(depth)}${span.name}`,
        span.agent,
        faint(`+${printMs(Date.parse(span.started_at) - first)}`),
        printMs(span.duration_ms),
        span.input_tokens,
        span.output_tokens,
        span.usd,
        errorOf(span),
      ]),
      'No spans that you may read.',
    ),
    ...(content ? ordered.flatMap(({ span }) => describeContent(span)) : []),
  ];
}

function errorOf({ status, error }: Span): Cell {
  return status === 'error' ? bad(error ?? 'error') : null;
}

function describeContent({ name, input, output, content }: Span): View {
  if (content === 'none') return [];
  if (content === 'not_permitted') return [line(strong(name), faint('  content is for its caller and admins'))];
  return [line(strong(name)), ...[input, output].flatMap((text) => (text === null ? [] : [verbatim(text)]))];
}

export function printMs(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
