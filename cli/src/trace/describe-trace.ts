import { actionsOfSpan } from '@gantry/contract/guardrails/span-actions.ts';
import { orderSpans } from '@gantry/contract/order-spans.ts';
import type { Span, Trace } from '@gantry/contract/traces.ts';
import {
  bad,
  faint,
  fields,
  line,
  prose,
  strong,
  table,
  time,
  verbatim,
  warn,
  type Cell,
  type View,
} from '../view/view.ts';

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
      ['span', 'agent', 'at', 'took', 'tokens in', 'out', 'usd', 'error', prose('guardrails')],
      ordered.map(({ span, depth }) => [
        `${'  '.repeat(depth)}${span.name}`,
        span.agent,
        faint(`+${printMs(Date.parse(span.started_at) - first)}`),
        printMs(span.duration_ms),
        span.input_tokens,
        span.output_tokens,
        span.usd,
        errorOf(span),
        actionsOf(span),
      ]),
      'No spans that you may read.',
    ),
    ...(content ? ordered.flatMap(({ span }) => describeContent(span)) : []),
  ];
}

function errorOf({ status, error }: Span): Cell {
  return status === 'error' ? bad(error ?? 'error') : null;
}

/** Such as `redacted pii_detection 2`; the places are in the JSON form. */
function actionsOf(span: Span): Cell {
  const counts = new Map<string, number>();
  for (const { action, rule, count } of actionsOfSpan(span)) {
    const name = `${action} ${rule}`;
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  const marks = [...counts].map(([name, count]) => (name.startsWith('blocked ') ? name : `${name} ${count}`));
  return marks.length === 0 ? null : warn(marks.join(', '));
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
