import { actionsOfSpan } from '@gantry/contract/guardrails/span-actions.ts';
import type { Span, Trace } from '@gantry/contract/models/traces.ts';
import { duration } from '../../parts/figures/figures.ts';

/** The sender of a span; the gateway's spans are the truth for tokens and cost. */
const colours: Record<Span['source'], string> = {
  ingress: 'bg-accent',
  gateway: 'bg-code-number',
  deploy: 'bg-code-name',
  agent: 'bg-stopped',
};

const indent_px = 14;
const most_depth = 12;

export function Name({ span, depth }: { span: Span; depth: number }) {
  return (
    <span className="flex min-w-0 items-center gap-2" style={{ paddingLeft: Math.min(depth, most_depth) * indent_px }}>
      <span aria-hidden className={`size-2 shrink-0 rounded-small ${colours[span.source]}`} />
      <span className={`truncate ${span.status === 'error' ? 'text-failed' : ''}`}>
        {span.status === 'error' && <span aria-label="failed">✕ </span>}
        {span.name}
      </span>
      <Marks span={span} />
      {span.model !== null && !span.name.includes(span.model) && (
        <span className="min-w-0 shrink-[2] truncate font-normal text-quiet">{span.model}</span>
      )}
    </span>
  );
}

/** Its time within that of the trace. A short one is still to be seen. */
export function Bar({ span, trace }: { span: Span; trace: Trace }) {
  const whole_ms = Math.max(trace.duration_ms, 0.001);
  const from_ms = Date.parse(span.started_at) - Date.parse(trace.started_at);
  const left = Math.min(99, Math.max(0, (from_ms / whole_ms) * 100));
  const width = Math.min(100 - left, (span.duration_ms / whole_ms) * 100);
  return (
    <span
      role="img"
      aria-label={`begins after ${duration(from_ms)}, takes ${duration(span.duration_ms)}`}
      title={`+${duration(from_ms)}`}
      className="relative block h-3 rounded-small bg-sunken"
    >
      <span
        className={`absolute inset-y-0 min-w-[3px] rounded-small ${span.status === 'error' ? 'bg-failed' : colours[span.source]}`}
        style={{ left: `${left}%`, width: `${width}%` }}
      />
    </span>
  );
}

const looks: Readonly<Record<string, string>> = {
  blocked: 'bg-failed-soft text-failed',
  failed: 'bg-failed-soft text-failed',
  redacted: 'bg-waiting-soft text-waiting',
  annotated: 'bg-waiting-soft text-waiting',
};

/** What guardrails did with the call, one word for each kind of action. */
function Marks({ span }: { span: Span }) {
  const actions = new Set(actionsOfSpan(span).map(({ action }) => action));
  return [...actions].map((action) => (
    <span key={action} className={`shrink-0 rounded-small px-1.5 font-normal ${looks[action]}`}>
      {action}
    </span>
  ));
}
