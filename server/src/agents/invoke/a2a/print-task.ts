// A stored call as a task of the protocol. The service keeps no messages of its caller, so a task has no history.
import { parseExactly } from '../../../models/guardrails/json-texts.ts';
import { isJson } from '../../../models/gateway/wires/wire.ts';
import { problemIn, type Outcome } from '../calls/outcome.ts';
import type * as store from '../store.ts';
import { textOfOutput } from '../streams/text-of-output.ts';

/** What the protocol shows of a task. */
export type TaskView = Pick<
  store.Task,
  'id' | 'task_id' | 'turn' | 'context_id' | 'state' | 'outcome' | 'content_type' | 'body' | 'updated_at'
>;

export type State = 'SUBMITTED' | 'WORKING' | 'COMPLETED' | 'FAILED' | 'CANCELED' | 'INPUT_REQUIRED' | 'REJECTED';

export interface Part {
  text?: string;
  data?: unknown;
  mediaType?: string;
}

export interface Message {
  messageId: string;
  contextId: string;
  taskId: string;
  role: 'ROLE_AGENT';
  parts: Part[];
  metadata?: object;
}

export interface Status {
  state: `TASK_STATE_${State}`;
  timestamp: string;
  message?: Message;
}

export interface Artifact {
  artifactId: string;
  name: string;
  parts: Part[];
  metadata?: object;
}

export interface Task {
  id: string;
  contextId: string;
  status: Status;
  artifacts?: Artifact[];
}

const states: Readonly<Record<Outcome, State>> = {
  completed: 'COMPLETED',
  interrupted: 'INPUT_REQUIRED',
  cancelled: 'CANCELED',
  rejected: 'REJECTED',
  failed: 'FAILED',
};

export function stateOf({ outcome }: Pick<TaskView, 'outcome'>): State {
  return outcome === null ? 'WORKING' : states[outcome];
}

/** The stored calls in a state. */
export function callsIn(state: string): store.TaskFilter['state'] {
  if (state === 'TASK_STATE_WORKING') return { state: 'running', outcome: null };
  const [outcome] = Object.entries(states).find(([, name]) => `TASK_STATE_${name}` === state) ?? [null];
  // An ended task has an outcome, so this finds none for a state that no task has.
  return { state: 'ended', outcome: outcome as Outcome | null };
}

export function printTask(task: TaskView): Task {
  const artifact = artifactOf(task);
  return {
    id: task.task_id,
    contextId: task.context_id,
    status: statusOf(task),
    ...(artifact && { artifacts: [artifact] }),
  };
}

export function statusOf(task: TaskView): Status {
  const parts = saidAtEnd(task);
  const message: Message = {
    messageId: task.id,
    contextId: task.context_id,
    taskId: task.task_id,
    role: 'ROLE_AGENT',
    parts: parts ?? [],
  };
  return {
    state: `TASK_STATE_${stateOf(task)}`,
    timestamp: task.updated_at,
    ...(parts && { message }),
  };
}

/** The output of a completed task. */
export function artifactOf(task: TaskView): Artifact | undefined {
  const { body, outcome } = task;
  if (outcome !== 'completed' || body === null) return undefined;
  const { output, guardrails } = envelopeOf(task);
  const text = { text: textOfOutput(output), mediaType: 'text/plain' };
  const parts = [text, typeof output === 'string' ? [] : dataPart(output)].flat();
  return { ...outputArtifact(task, parts), ...(guardrails === undefined ? {} : { metadata: { guardrails } }) };
}

export function outputArtifact({ id }: Pick<TaskView, 'id'>, parts: Part[]): Artifact {
  return { artifactId: id, name: 'output', parts };
}

// The questions of a task that waits, or the reason of one that has failed.
function saidAtEnd(task: TaskView): Part[] | undefined {
  const { outcome, body } = task;
  if (body === null || outcome === null || outcome === 'completed' || outcome === 'cancelled') return undefined;
  if (outcome === 'interrupted') {
    const { interrupts } = envelopeOf(task);
    const asked = Array.isArray(interrupts) ? interrupts.map((one: unknown) => (isJson(one) ? one['value'] : one)) : [];
    return [{ text: asked.map(textOfOutput).join('\n'), mediaType: 'text/plain' }, dataPart({ interrupts })];
  }
  const problem = problemIn(body);
  return [
    { text: problem?.detail ?? 'The agent failed.', mediaType: 'text/plain' },
    problem === undefined ? [] : dataPart({ code: problem.code }),
  ].flat();
}

function envelopeOf({ content_type, body }: TaskView): Record<string, unknown> {
  const text = body?.toString() ?? '';
  if (content_type?.startsWith('text/plain')) return { output: text };
  const said = readJson(text);
  return isJson(said) ? said : { output: said };
}

function readJson(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    // The agent's answer is no JSON, although it says so.
    return text;
  }
}

function dataPart(data: unknown): Part {
  return { data, mediaType: 'application/json' };
}
