// All of one span: its facts, what guardrails did, what went in and came out, or why that is hidden.
import { actionsOfSpan } from '@gantry/contract/guardrails/span-actions.ts';
import type { Span, Trace } from '@gantry/contract/models/traces.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CodeView } from '../../parts/code/code.tsx';
import { Copy } from '../../parts/copy.tsx';
import { count, duration, money } from '../../parts/figures/figures.ts';
import { Facts } from '../../parts/page/page.tsx';
import { State } from '../../parts/figures/state.tsx';

const senders: Record<Span['source'], string> = {
  ingress: 'the service, at the call of the agent',
  gateway: 'the service, at the call of a model',
  deploy: 'the service, in a deploy',
  agent: 'the code of the agent',
};

const hidden = {
  none: 'Its content was not recorded. The agent or its team hides it, or it has none.',
  not_permitted: 'Its content is for the caller of the run and for admins of the agent.',
} as const;

export function SpanPanel({ span, trace }: { span: Span; trace: Trace }) {
  const { name, content, input, output } = span;
  return (
    <section
      aria-label={`Span ${name}`}
      className="sticky top-4 flex max-h-[calc(100vh-96px)] flex-col gap-4 overflow-y-auto rounded border border-line bg-raised p-4 max-wide:static max-wide:max-h-none"
    >
      <h2 className="text-section break-words">{name}</h2>
      <Facts facts={factsOf(span, trace)} />
      <Actions span={span} />
      {content === 'shown' ? (
        <>
          {input !== null && <Content title="Input" text={input} />}
          {output !== null && <Content title="Output" text={output} />}
        </>
      ) : (
        <p className="text-quiet">{hidden[content]}</p>
      )}
    </section>
  );
}

function factsOf(span: Span, trace: Trace): (readonly [string, ReactNode])[] {
  const { kind, source, agent, run_id, status, error, model, provider, input_tokens, output_tokens, usd } = span;
  const from_ms = Date.parse(span.started_at) - Date.parse(trace.started_at);
  return [
    ['Kind', kind],
    ['Recorded by', senders[source]],
    ...(status === 'error'
      ? [
          [
            'Error',
            <span key="error" className="text-failed">
              {error ?? 'error'}
            </span>,
          ] as const,
        ]
      : []),
    ['Begins', `+${duration(from_ms)}`],
    ['Took', duration(span.duration_ms)],
    ...(model === null ? [] : [['Model', provider === null ? model : `${model} of ${provider}`] as const]),
    ...(input_tokens === null && output_tokens === null
      ? []
      : [['Tokens', `${count(input_tokens)} in, ${count(output_tokens)} out`] as const]),
    ...(usd === null ? [] : [['Cost', money(usd)] as const]),
    ...(run_id === null
      ? []
      : [
          [
            'Run',
            <span key="run" className="flex flex-wrap gap-x-3 font-mono text-meta">
              <Copy text={run_id} label="the run id">
                {run_id.slice(0, 8)}
              </Copy>
              {agent !== null && source !== 'deploy' && (
                <Link
                  to="/agents/$name/logs"
                  params={{ name: agent }}
                  search={{ request: run_id }}
                  className="font-sans text-accent"
                >
                  its log
                </Link>
              )}
              {source === 'deploy' && (
                <Link to="/deployments/$id" params={{ id: run_id }} className="font-sans text-accent">
                  the deploy
                </Link>
              )}
            </span>,
          ] as const,
        ]),
  ];
}

function Actions({ span }: { span: Span }) {
  const actions = actionsOfSpan(span);
  if (actions.length === 0) return null;
  return (
    <ul aria-label="Guardrails" className="flex flex-col gap-1">
      {actions.map(({ rule, place, action, count: times }) => (
        <li key={`${rule} ${place} ${action}`} className="flex flex-wrap items-baseline gap-x-2">
          <State meaning={action === 'blocked' || action === 'failed' ? 'failed' : 'waiting'}>{action}</State>
          <span>
            {rule} · {place.replaceAll('_', ' ')} · {count(times)}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Content({ title, text }: { title: string; text: string }) {
  const json = asJson(text);
  return (
    <div className="flex flex-col gap-1">
      <h3>{title}</h3>
      <CodeView text={json ?? text} language={json === undefined ? 'text' : 'json'} label={title} wraps />
    </div>
  );
}

function asJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined; // a text that only begins like JSON
  }
}
