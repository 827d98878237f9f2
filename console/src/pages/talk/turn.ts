// One call of an agent and its answer, as the events of its stream (AG-UI) tell it.
import { readAgentProblem } from '@gantry/contract/client/agent-problem.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { membersOf } from '../../parts/members-of.ts';
import type { MessageFile } from './files/content-files.ts';

export type Input = Record<string, unknown>;

export interface ToolCall {
  kind: 'tool';
  id: string;
  name: string;
  args: string;
  result?: string;
  isOver: boolean;
}

/** What an answer is made of, in its order. */
export type Part =
  | { kind: 'text'; id: string; text: string }
  | { kind: 'files'; id: string; files: readonly MessageFile[] }
  | ToolCall;

export interface Turn {
  id: string;
  /** Undefined: it goes on with an earlier one. */
  input: Input | undefined;
  state: 'running' | 'answered' | 'failed' | 'cancelled';
  started_ms: number;
  took_ms?: number;
  run_id?: string | undefined;
  trace_id?: string | undefined;
  parts: readonly Part[];
  /** Of the agent's graph. */
  steps: readonly { name: string; isOver: boolean }[];
  output?: unknown;
  interrupts?: readonly { id: string | null; value: unknown }[];
  /** What the guardrails did: `pii_detection;redacted=2`. */
  guardrails?: string;
  error?: unknown;
}

/** Its members are checked where they are used. */
export type AgentEvent = Record<string, unknown> & { type?: unknown };

export function applyEvent(turn: Turn, event: AgentEvent): Turn {
  const of = (name: string) => (typeof event[name] === 'string' ? event[name] : '');
  switch (event.type) {
    case 'RUN_STARTED':
      return { ...turn, run_id: of('runId') };
    case 'STEP_STARTED':
      return { ...turn, steps: [...turn.steps, { name: of('stepName'), isOver: false }] };
    case 'STEP_FINISHED':
      return {
        ...turn,
        steps: turn.steps.map((step) => (step.name === of('stepName') ? { ...step, isOver: true } : step)),
      };
    case 'TOOL_CALL_START':
      return {
        ...turn,
        parts: [
          ...turn.parts,
          { kind: 'tool', id: of('toolCallId'), name: of('toolCallName'), args: '', isOver: false },
        ],
      };
    case 'TOOL_CALL_ARGS':
      return changeTool(turn, of('toolCallId'), ({ args }) => ({ args: args + of('delta') }));
    case 'TOOL_CALL_RESULT':
      return changeTool(turn, of('toolCallId'), () => ({ result: of('content'), isOver: true }));
    case 'TEXT_MESSAGE_CONTENT':
    case 'TEXT_MESSAGE_CHUNK':
      return { ...turn, parts: addText(turn.parts, of('messageId'), of('delta')) };
    case 'CUSTOM':
      return event['name'] === 'guardrails' ? { ...turn, guardrails: summaryOf(event['value']) } : turn;
    case 'RUN_FINISHED':
      return finished(turn, event);
    case 'RUN_ERROR':
      return ended(turn, of('code'), of('message'));
    default:
      return turn;
  }
}

function changeTool(turn: Turn, id: string, change: (call: ToolCall) => Partial<ToolCall>): Turn {
  const changed = (part: Part) => (part.kind === 'tool' && part.id === id ? { ...part, ...change(part) } : part);
  return { ...turn, parts: turn.parts.map(changed) };
}

function addText(parts: readonly Part[], id: string, text: string): Part[] {
  const last = parts.at(-1);
  if (last?.kind !== 'text' || last.id !== id) return [...parts, { kind: 'text', id, text }];
  return [...parts.slice(0, -1), { ...last, text: last.text + text }];
}

function finished(turn: Turn, { result, outcome }: AgentEvent): Turn {
  const said = membersOf(outcome);
  if (said['type'] === 'cancelled') return { ...turn, state: 'cancelled' };
  const asked = Array.isArray(said['interrupts']) ? said['interrupts'] : undefined;
  return { ...turn, state: 'answered', output: result, ...(asked && { interrupts: asked.map(questionOf) }) };
}

function questionOf(interrupt: unknown): { id: string | null; value: unknown } {
  const { id, metadata } = membersOf(interrupt);
  return { id: typeof id === 'string' ? id : null, value: membersOf(metadata)['value'] };
}

function ended(turn: Turn, code: string, message: string): Turn {
  if (code === 'run_cancelled' || code === 'cancelled') return { ...turn, state: 'cancelled' };
  return { ...turn, state: 'failed', error: problemOf(code, message) };
}

function summaryOf(value: unknown): string {
  const { summary } = membersOf(value);
  return typeof summary === 'string' ? summary : '';
}

function problemOf(code: string, message: string): Problem {
  if (code === 'guardrail_blocked') return new Problem('guardrail_blocked', { detail: message });
  return readAgentProblem({ code, detail: message }) ?? new Problem('agent_error', { detail: message });
}
