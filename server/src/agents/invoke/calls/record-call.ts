// The span of a call to an agent: from its admission to its end, also when its caller has left.
import { attributesOfActions } from '@gantry/contract/guardrails/span-actions.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { GuardedCall } from '../../../models/guardrails/guarded-call.ts';
import { no_model, type Span } from '../../../models/traces/span.ts';
import type { Admitted } from '../admit.ts';
import type { Ingress } from '../ingress.ts';
import type { Ended } from './send-call.ts';
import type { StartedRun } from '../upstream.ts';

export interface RecordedCall {
  name: 'invoke' | 'stream';
  admitted: Admitted;
  run: StartedRun;
  guarded: GuardedCall | undefined;
  /** The body of the request, as its guardrails let it pass. Undefined when they refuse it. */
  input?: Uint8Array;
}

/** The limit of an input, and of an output. */
const max_content_bytes = 32_768;

export function recordCall({ spans }: Pick<Ingress, 'spans'>, call: RecordedCall, end: Ended): void {
  const outcome =
    'error' in end ? { error: codeOf(end.error), output: null } : outcomeOf(end.answer.status, end.answer.body);
  spans.add([spanOf(call, outcome)]);
}

/** The value of the work. When the work fails, the call ends with its error. */
export async function orRecorded<Value>(
  ingress: Pick<Ingress, 'spans'>,
  call: RecordedCall,
  work: Promise<Value>,
): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    recordCall(ingress, call, { error });
    throw error;
  }
}

/** Passes the events on. The span ends with them, or when their reader leaves. */
export async function* recordStream(
  { spans }: Pick<Ingress, 'spans'>,
  call: RecordedCall,
  events: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<Uint8Array | string> {
  const kept: Uint8Array[] = [];
  let kept_bytes = 0;
  let error: string | null = 'client_left';
  let failure: string | null = null;
  try {
    for await (const event of events) {
      const bytes = Buffer.from(event);
      if (kept_bytes < max_content_bytes) kept.push(bytes);
      kept_bytes += bytes.length;
      failure ??= failureIn(bytes);
      yield event;
    }
    error = failure;
  } finally {
    spans.add([spanOf(call, { error, output: Buffer.concat(kept) })]);
  }
}

// The wrapper prints its events without spaces, and no text within JSON contains these quotes.
const failed_event = '"type":"RUN_ERROR","code":"';

function failureIn(events: Buffer): string | null {
  const at = events.indexOf(failed_event);
  if (at < 0) return null;
  const code = events.subarray(at + failed_event.length);
  return code.subarray(0, code.indexOf('"')).toString();
}

interface Outcome {
  error: string | null;
  output: Uint8Array | null;
}

function outcomeOf(status: number, output: Uint8Array): Outcome {
  return { error: status < 400 ? null : (codeIn(output) ?? `status_${status}`), output };
}

/** The code of a problem document. */
function codeIn(body: Uint8Array): string | undefined {
  if (body.length > max_content_bytes) return undefined;
  try {
    const { code } = JSON.parse(Buffer.from(body).toString()) as { code?: unknown };
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Problem ? error.code : 'internal';
}

function spanOf(
  { name, admitted: { agent, revision, user, hidden }, run, guarded, input }: RecordedCall,
  { error, output }: Outcome,
): Span {
  return {
    trace_id: run.trace.trace_id,
    span_id: run.span.span_id,
    parent_id: run.trace.parent_id,
    name: `${name} ${agent.name}`,
    kind: 'agent',
    source: 'ingress',
    agent_id: agent.id,
    revision_id: revision.revision_id,
    run_id: run.id,
    team_id: agent.team.id,
    caller_id: user.id,
    ...run.span.times(),
    status: error === null ? 'ok' : 'error',
    ...no_model,
    input: hidden.inputs ? null : textOf(input),
    output: hidden.outputs ? null : textOf(output),
    error,
    attributes: attributesOfActions(guarded?.done ?? []),
  };
}

function textOf(bytes: Uint8Array | null | undefined): string | null {
  return bytes === null || bytes === undefined || bytes.length === 0
    ? null
    : Buffer.from(bytes.subarray(0, max_content_bytes)).toString();
}
