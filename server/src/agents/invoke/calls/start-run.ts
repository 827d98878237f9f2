import { randomUUIDv7 } from 'node:crypto';
import type { HiddenContent } from '@gantry/project/agent-yaml/tracing.ts';
import { signRunToken } from '../../../ground/run-token.ts';
import type { TraceContext } from '../../../ground/trace-context.ts';
import { startSpan } from '../../../models/traces/start-span.ts';
import type { Through } from '../../delegated-calls/delegation.ts';
import type { Admitted } from '../admit.ts';
import type { Ingress } from '../ingress.ts';
import type { StartedRun } from '../upstream.ts';

export function startRun(
  { run_key }: Pick<Ingress, 'run_key'>,
  { agent, revision, user, hidden: declared, through }: Admitted,
  given: TraceContext,
  id: string = randomUUIDv7(),
): StartedRun {
  const trace = traceOf(through, given);
  const hidden = hiddenFrom({ revision, hidden: declared });
  const token = signRunToken(run_key, {
    agent_id: agent.id,
    revision_id: revision.revision_id,
    key_id: revision.key_id,
    run_id: id,
    root_run_id: through?.root_run_id ?? id,
    caller_id: user.id,
    chain: through?.chain ?? [],
    trace_id: trace.trace_id,
    hidden,
  });
  return { id, root_run_id: through?.root_run_id ?? id, token, trace, hidden, span: startSpan() };
}

// An agent's call belongs to the trace of its run. Its request chooses no other one.
function traceOf(through: Through | undefined, trace: TraceContext): TraceContext {
  const { trace_id = trace.trace_id } = through ?? {};
  return trace_id === trace.trace_id ? trace : { ...trace, trace_id, parent_id: null, tracestate: null };
}

/** The same run, at the revision that has replaced the one of its start. */
export function moveRun(ingress: Pick<Ingress, 'run_key'>, admitted: Admitted, run: StartedRun): StartedRun {
  return { ...startRun(ingress, admitted, run.trace, run.id), span: run.span };
}

// The caller reads the content of the run's spans, and those of the agent have what a guardrail hides from the caller.
function hiddenFrom({ revision, hidden }: Pick<Admitted, 'revision' | 'hidden'>): HiddenContent {
  const isGuarded = revision.rules.some(({ places }) => places.includes('ingress_out'));
  return isGuarded ? { inputs: true, outputs: true } : hidden;
}
