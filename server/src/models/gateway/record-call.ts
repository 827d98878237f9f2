// The span of a call to a model: from its arrival until its last attempt is settled, which can be after its client has left. It repeats what
// the ledger gets, so traces and costs agree.
import { attributesOfActions } from '@gantry/contract/guardrails/span-actions.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { KeyCaller } from '../../governance/access/caller.ts';
import type { GuardedCall } from '../guardrails/guarded-call.ts';
import { start_tag } from '../keys/calls/facts.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import type { Span } from '../traces/span.ts';
import type { Spans } from '../traces/spans.ts';
import { startSpan } from '../traces/start-span.ts';
import type { Model } from './model.ts';
import { inputClasses, type Usage } from './prices/rates.ts';
import type { GatewayRun } from './run-of-call.ts';

interface SettledAttempt {
  /** As the ledger has it. */
  call_id: string;
  tags: readonly string[];
  model: Pick<Model, 'name' | 'provider' | 'upstream_model' | 'type'>;
  outcome: 'answered' | 'refused' | 'failed';
  input_tokens: number;
  output_tokens: number;
  usage: Usage;
  nano: number;
}

export interface CallSpan {
  settled(attempt: SettledAttempt): void;
  /** The call is under these guardrails. */
  guardedBy(guarded: Pick<GuardedCall, 'done'>): void;
  /** An answer has begun. The settlement of its attempt ends the span. */
  begun: () => void;
  /** After the last attempt. */
  failed: (error: unknown) => void;
}

export interface RecordedCall {
  caller: KeyCaller;
  run: GatewayRun;
  trace: Pick<TraceContext, 'trace_id' | 'parent_id'>;
  /** The requested name. */
  model: string;
  /** The guardrail whose judge calls. */
  rule?: string;
}

export function openCallSpan(spans: Pick<Spans, 'add'>, call: RecordedCall): CallSpan {
  const started = startSpan();
  const attempts: SettledAttempt[] = [];
  let hasBegun = false;
  let hasEnded = false;
  let guarded: Pick<GuardedCall, 'done'> | undefined;
  const end = (error: string | null) => {
    if (hasEnded) return;
    hasEnded = true;
    const done = guarded?.done ?? [];
    spans.add([{ span_id: started.span_id, ...started.times(), ...factsOf(call, { attempts, done, error }) }]);
  };
  const endByLast = () => {
    // The answer of a blocked stream is still read to its end.
    const isBlocked = guarded?.done.some(({ outcome }) => outcome === 'blocked') === true;
    if (isBlocked) end('guardrail_blocked');
    else end(attempts.at(-1)?.outcome === 'answered' ? null : 'model_unavailable');
  };
  return {
    settled: (attempt) => {
      attempts.push(attempt);
      if (hasBegun) endByLast();
    },
    guardedBy: (by) => {
      guarded = by;
    },
    begun: () => {
      hasBegun = true;
      // An answer in one piece is settled before it begins.
      if (attempts.at(-1)?.outcome === 'answered') end(null);
    },
    failed: (error) => end(error instanceof Problem ? error.code : 'internal'),
  };
}

const spanOf = {
  chat: { does: 'chat', kind: 'llm' },
  embedding: { does: 'embeddings', kind: 'embedding' },
  rerank: { does: 'rerank', kind: 'retriever' },
} as const;

function factsOf(
  { caller, run, trace, model: asked, rule }: RecordedCall,
  { attempts, done, error }: { attempts: readonly SettledAttempt[]; done: GuardedCall['done']; error: string | null },
): Omit<Span, 'span_id' | 'started_us' | 'ended_us'> {
  const last = attempts.at(-1)?.model;
  const sum = (of: 'input_tokens' | 'output_tokens' | 'nano') => attempts.reduce((total, one) => total + one[of], 0);
  const { does, kind } = spanOf[last?.type ?? 'chat'];
  const trace_id = run.trace_id ?? trace.trace_id;
  return {
    trace_id,
    // A parent of another trace is none.
    parent_id: trace.trace_id === trace_id ? trace.parent_id : null,
    name: `${rule ?? does} ${asked}`,
    kind: rule !== undefined ? 'guardrail' : kind,
    source: 'gateway',
    agent_id: caller.scope === 'agent' ? caller.scope_id : null,
    revision_id: run.revision_id,
    run_id: run.run_id,
    team_id: caller.team_id,
    caller_id: run.caller_id ?? (caller.scope === 'user' || caller.scope === 'principal' ? caller.scope_id : null),
    status: error === null ? 'ok' : 'error',
    model: last?.upstream_model ?? asked,
    provider: last?.provider ?? null,
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
    cost_nano_usd: sum('nano'),
    input: null,
    output: null,
    error,
    attributes: {
      key_id: caller.id,
      ...(attempts[0] && { call_id: attempts[0].call_id }),
      ...(attempts.some(({ tags }) => tags.includes(start_tag)) && { during: 'start' }),
      'gen_ai.request.model': asked,
      ...cachedOf(attempts),
      attempts: attempts.map(({ model, outcome }) => `${model.name} ${outcome}`),
      ...attributesOfActions(done),
    },
  };
}

/** The parts of the input tokens that a cache has served or taken. */
function cachedOf(attempts: readonly SettledAttempt[]): Readonly<Record<string, number>> {
  const classes = Object.keys(inputClasses) as (keyof typeof inputClasses)[]; // the keys of a literal
  const sum = (prefix: string) =>
    attempts.reduce(
      (total, { usage }) =>
        classes.filter((one) => one.startsWith(prefix)).reduce((part, one) => part + (usage[one] ?? 0), total),
      0,
    );
  const counts = {
    'gen_ai.usage.cache_read.input_tokens': sum('cached_input'),
    'gen_ai.usage.cache_creation.input_tokens': sum('cache_write'),
  };
  return Object.fromEntries(Object.entries(counts).filter(([, tokens]) => tokens > 0));
}
