// One call of an agent and its answer, as the events of its stream (AG-UI) tell it.
import { readAgentProblem } from '@gantry/contract/client/agent-problem.ts';
import { Problem } from '@gantry/contract/problems.ts';

export type Input = Record<string, unknown>;

export interface Turn {
  id: string;
  input: Input;
  state: 'running' | 'answered' | 'failed' | 'cancelled';
  started_ms: number;
  took_ms?: number;
  run_id?: string | undefined;
  trace_id?: string | undefined;
  messages: readonly { id: string; text: string }[];
  steps: readonly Step[];
  output?: unknown;
  /** A graph asks a person: its questions. */
  interrupts?: unknown;
  /** What the guardrails did: `pii_detection;redacted=2`. */
  guardrails?: string;
  error?: unknown;
}

export interface Step {
  id: string;
  kind: 'step' | 'tool';
  name: string;
  args: string;
  result?: string;
  isOver: boolean;
}

/** Its members are checked where they are used. */
export type AgentEvent = Record<string, unknown> & { type?: unknown };

export function applyEvent(turn: Turn, event: AgentEvent): Turn {
  const of = (name: string) => (typeof event[name] === 'string' ? event[name] : '');
  switch (event.type) {
    case 'RUN_STARTED':
      return { ...turn, run_id: of('runId') };
    case 'STEP_STARTED':
      return addStep(turn, { id: `${turn.steps.length}`, kind: 'step', name: of('stepName') });
    case 'STEP_FINISHED':
      return changeStep(
        turn,
        ({ kind, name, isOver }) => kind === 'step' && name === of('stepName') && !isOver,
        () => ({ isOver: true }),
      );
    case 'TOOL_CALL_START':
      return addStep(turn, { id: of('toolCallId'), kind: 'tool', name: of('toolCallName') });
    case 'TOOL_CALL_ARGS':
      return changeStep(turn, hasId(of('toolCallId')), ({ args }) => ({ args: args + of('delta') }));
    case 'TOOL_CALL_RESULT':
      return changeStep(turn, hasId(of('toolCallId')), () => ({ result: of('content'), isOver: true }));
    case 'TEXT_MESSAGE_CONTENT':
    case 'TEXT_MESSAGE_CHUNK':
      return { ...turn, messages: addText(turn.messages, of('messageId'), of('delta')) };
    case 'CUSTOM':
      return event['name'] === 'guardrails' ? { ...turn, guardrails: summaryOf(event['value']) } : turn;
    case 'RUN_FINISHED':
      return { ...turn, state: 'answered', output: event['result'], interrupts: interruptsOf(event['outcome']) };
    case 'RUN_ERROR':
      return { ...turn, state: 'failed', error: problemOf(of('code'), of('message')) };
    default:
      return turn;
  }
}

const hasId = (id: string) => (step: Step) => step.id === id;

function addStep(turn: Turn, step: Pick<Step, 'id' | 'kind' | 'name'>): Turn {
  return { ...turn, steps: [...turn.steps, { ...step, args: '', isOver: false }] };
}

function changeStep(turn: Turn, isIt: (step: Step) => boolean, change: (step: Step) => Partial<Step>): Turn {
  return { ...turn, steps: turn.steps.map((step) => (isIt(step) ? { ...step, ...change(step) } : step)) };
}

function addText(messages: Turn['messages'], id: string, text: string): Turn['messages'] {
  const last = messages.at(-1);
  if (last?.id !== id) return [...messages, { id, text }];
  return [...messages.slice(0, -1), { id, text: last.text + text }];
}

function summaryOf(value: unknown): string {
  const summary = typeof value === 'object' && value !== null && 'summary' in value ? value.summary : undefined;
  return typeof summary === 'string' ? summary : '';
}

function interruptsOf(outcome: unknown): unknown {
  return typeof outcome === 'object' && outcome !== null && 'interrupts' in outcome ? outcome.interrupts : undefined;
}

function problemOf(code: string, message: string): Problem {
  if (code === 'guardrail_blocked') return new Problem('guardrail_blocked', { detail: message });
  return readAgentProblem({ code, detail: message }) ?? new Problem('agent_error', { detail: message });
}
