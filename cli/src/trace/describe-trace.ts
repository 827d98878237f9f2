import { actionsOfSpan } from '@gantry/contract/guardrails/span-actions.ts';
import { orderSpans } from '@gantry/contract/models/order-spans.ts';
import type { Span, Trace } from '@gantry/contract/models/traces.ts';
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
        `${'  '.repeat(depth)}${span.name}${timesOf(span)}`,
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
    ...trace.feedback.map(({ is_good, reason }) =>
      line(
        is_good ? 'Its caller found the answer good' : bad('Its caller found the answer bad'),
        reason === '' ? '' : `: ${reason}`,
      ),
    ),
    ...(content ? describeContents(ordered.map(({ span }) => span)) : []),
  ];
}

const max_message_chars = 120;

/** With the message of an exception in the agent's code, where the reader may read content. */
function errorOf({ status, error, source, output }: Span): Cell {
  if (status !== 'error') return null;
  const kind = error ?? 'error';
  const message = source === 'agent' ? output?.split('\n', 1)[0]?.slice(0, max_message_chars) : undefined;
  return bad(message === undefined || message === '' ? kind : `${kind}: ${message}`);
}

/** A span can stand for the repeated refusals of a minute. */
function timesOf({ attributes }: Span): string {
  const { refused_calls } = attributes;
  return typeof refused_calls === 'number' ? ` × ${refused_calls}` : '';
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

const no_content = [
  'No content is recorded. An agent with secrets, and a private agent, hide it unless agent.yaml says otherwise (deploy.tracing).',
  'The organisation can hide it too, and so does a guardrail on the answers of the agent.',
].join(' ');

function describeContents(spans: readonly Span[]): View {
  const all = spans.flatMap(describeContent);
  return all.length === 0 ? [line(faint(no_content))] : all;
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
