// The span of a call of a tool, as the service has seen it.
import type { FoundPassages } from '@gantry/contract/agents/knowledge.ts';
import { knowledge_server } from '@gantry/contract/assets/tools.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import type { Spans } from '../../models/traces/spans.ts';
import { attributesOfActions } from '@gantry/contract/guardrails/span-actions.ts';
import type { ToolCaller } from './admit-call.ts';
import type { GuardedCall } from '../../models/guardrails/guarded-call.ts';
import type { Exposure } from '../delegated-calls/exposure.ts';
import { no_model } from '../../models/traces/span.ts';
import { startSpan } from '../../models/traces/start-span.ts';

interface SpannedCall {
  caller: ToolCaller;
  trace: TraceContext;
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
  user_id: string;
  call_id: string;
}

/** Questions of the server to the user, by what it got: the answer of the person, a decline, or a cancel while the question waits. */
export type CountedQuestions = Record<'accept' | 'decline' | 'cancel', number>;

interface EndOfCall {
  /** A result of a tool, or what a server has answered else. */
  result?: object;
  done?: GuardedCall['done'] | undefined;
  /** What the run has read with the call. */
  read?: Exposure | undefined;
  questions?: CountedQuestions;
}

export interface ToolSpan {
  end(error: string | null, more?: EndOfCall): void;
}

export function openToolSpan(spans: Pick<Spans, 'add'>, call: SpannedCall): ToolSpan {
  const started = startSpan();
  const { caller, trace, server, tool, user_id, call_id } = call;
  // Traces are those of agents.
  if (caller.kind !== 'agent') return { end: () => {} };
  const { run } = caller;
  const trace_id = run?.trace_id ?? trace.trace_id;
  const hidden = run?.hidden ?? { inputs: true, outputs: true };
  return {
    end: (error, { result, done = [], questions, read } = {}) =>
      spans.add([
        {
          span_id: started.span_id,
          ...started.times(),
          trace_id,
          // A parent of another trace is none.
          parent_id: trace.trace_id === trace_id ? trace.parent_id : null,
          name: `execute_tool ${server}__${tool}`,
          kind: 'tool',
          source: 'gateway',
          agent_id: caller.id,
          revision_id: caller.revision_id,
          run_id: run?.run_id ?? null,
          team_id: caller.team.id,
          caller_id: user_id,
          status: error === null ? 'ok' : 'error',
          ...no_model,
          input: hidden.inputs ? null : JSON.stringify(call.arguments),
          output:
            hidden.outputs || result === undefined
              ? null
              : JSON.stringify('content' in result ? result.content : [{ type: 'text', text: JSON.stringify(result) }]),
          error,
          attributes: {
            call_id,
            'gen_ai.tool.name': tool,
            'mcp.server': server,
            ...attributesOfActions(done),
            ...(read?.private_data === true && { 'gantry.read.private_data': true }),
            ...(read?.outside_text === true && { 'gantry.read.outside_text': true }),
            ...attributesOfQuestions(questions),
            ...(server === knowledge_server ? attributesOfSearch(result) : {}),
          },
        },
      ]),
  };
}

/** Also where traces have no outputs: which snapshots have answered. */
function attributesOfSearch(result: { structuredContent?: Partial<FoundPassages> } = {}): Record<string, string> {
  const { searched } = result.structuredContent ?? {};
  if (searched === undefined) return {};
  return { 'gantry.knowledge.snapshots': searched.map(({ base, snapshot }) => `${base}#${snapshot}`).join(' ') };
}

function attributesOfQuestions({ accept = 0, decline = 0, cancel = 0 }: Partial<CountedQuestions> = {}) {
  return {
    ...(accept > 0 && { 'mcp.questions_answered': accept }),
    ...(decline > 0 && { 'mcp.questions_declined': decline }),
    ...(cancel > 0 && { 'mcp.questions_asked': cancel }),
  };
}
