// The span of a read of a prompt: which version the agent got. The text itself is in the registry under the digest.
import type { AgentCaller } from '../../governance/access/caller.ts';
import type { RunClaims } from '../../ground/run-token.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import { no_model, type Span } from '../../models/traces/span.ts';
import type { StartedSpan } from '../../models/traces/start-span.ts';
import type { OwnPrompt } from './own-prompts.ts';

interface SpannedRead {
  caller: AgentCaller;
  run: RunClaims;
  trace: TraceContext;
  started: StartedSpan;
  prompt: OwnPrompt;
  user_id: string;
  error: string | null;
}

export function promptSpan({ caller, run, trace, started, prompt, user_id, error }: SpannedRead): Span {
  const { trace_id, run_id } = run;
  const { key, ref, label, version, digest } = prompt;
  return {
    span_id: started.span_id,
    ...started.times(),
    trace_id,
    // A parent of another trace is none.
    parent_id: trace.trace_id === trace_id ? trace.parent_id : null,
    name: `prompt ${ref}`,
    kind: 'retriever',
    source: 'gateway',
    agent_id: caller.id,
    revision_id: caller.revision_id,
    run_id,
    team_id: caller.team.id,
    caller_id: user_id,
    status: error === null ? 'ok' : 'error',
    ...no_model,
    input: null,
    output: null,
    error,
    attributes: {
      'prompt.key': key,
      'prompt.ref': ref,
      'prompt.version': version,
      'prompt.digest': digest,
      ...(label !== null && { 'prompt.label': label }),
    },
  };
}
