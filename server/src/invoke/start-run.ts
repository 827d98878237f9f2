import { randomUUIDv7 } from 'node:crypto';
import { signRunToken } from '../run-token.ts';
import type { TraceContext } from '../trace-context.ts';
import { startSpan } from '../traces/start-span.ts';
import type { Admitted } from './admit.ts';
import type { Ingress } from './ingress.ts';
import type { StartedRun } from './upstream.ts';

/** A run of its own, which no other run has called. */
export function startRun(
  { run_key }: Pick<Ingress, 'run_key'>,
  { agent, instance, user, hidden: declared }: Admitted,
  trace: TraceContext,
): StartedRun {
  // The caller reads the content of the run's spans, and those of the agent have what a guardrail hides from the caller.
  const isGuarded = instance.rules.some(({ places }) => places.includes('ingress_out'));
  const hidden = isGuarded ? { inputs: true, outputs: true } : declared;
  const id = randomUUIDv7();
  const token = signRunToken(run_key, {
    agent_id: agent.id,
    revision_id: instance.revision_id,
    key_id: instance.key_id,
    run_id: id,
    root_run_id: id,
    caller_id: user.id,
    chain: [],
    trace_id: trace.trace_id,
    hidden,
  });
  return { id, token, trace, hidden, span: startSpan() };
}
