// A message to an agent. It passes the admission and the guardrails of every call, and becomes a call that is stored from its start: a task
// is a view of it. An answer to a task that waits becomes the task's next call.
import { randomUUIDv7 } from 'node:crypto';
import { inputFields } from '@gantry/project/input/input-fields.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { textIntoInput } from '@gantry/project/input/text-into-input.ts';
import { errorCode, unique_violation } from '../../../ground/database/database.ts';
import { Blocked } from '../../../models/guardrails/guarded-call.ts';
import { within } from '../../../ground/within.ts';
import { admit, type Admitted } from '../admit.ts';
import { beginOnce, runIdOf } from '../calls/call-key.ts';
import { forgetUnbegun } from '../calls/call-once.ts';
import { NotConnected } from '../../deploy/connections/proven-client.ts';
import { describeAgent } from '../describe-agent.ts';
import { answerOf } from '../answer.ts';
import type { Ingress } from '../ingress.ts';
import { jsonHeaders } from '../json-headers.ts';
import { problemIn } from '../calls/outcome.ts';
import type { Listener } from '../listen.ts';
import { rowOfCall, type CallToStore } from '../calls/row-of-call.ts';
import { sendCall, type Ended } from '../calls/send-call.ts';
import { startRun } from '../calls/start-run.ts';
import * as store from '../store.ts';
import { admitSubagent } from '../subagent.ts';
import { A2aError } from './a2a-error.ts';
import { awaitEnd, endOf, type TaskEvent } from './follow-task.ts';
import { messageKey } from './message-key.ts';
import { ownTask, readerOf, type Asked } from './own-task.ts';
import type { SendParams } from './params.ts';
import { printTask, stateOf, type Task } from './print-task.ts';
import { readParts, readPartsWithFiles, type Said, type SaidWithFiles } from './read-parts.ts';
import { piecesUntil, textPieces } from './text-pieces.ts';

/** The task at its end, or where it waits for its caller (section 3.2.2 of version 1.0). A stop of the service answers it as it is. */
export async function sendMessage(ingress: Ingress, asked: Asked, params: SendParams): Promise<{ task: Task }> {
  const { task_id, run_id, stored } = await begin(ingress, asked, params);
  if (params.configuration?.returnImmediately === true)
    return { task: printTask(await ownTask(ingress, asked, task_id)) };
  const end = stored && (await within(longest_wait_ms, stored, AbortSignal.any([asked.signal, ingress.stopping])));
  if (end !== undefined) await forgetUnbegun(ingress, run_id, end);
  if (end !== undefined) refuseUnbegun(end);
  // After a broken connection an ingress follows the call.
  return { task: printTask(await awaitEnd(readerOf(ingress), asked, { task_id })) };
}

/** The longest time of a timer. */
const longest_wait_ms = 2 ** 31 - 1;

/** The task, its text in pieces, then its end. A reader that leaves ends nothing. */
export async function streamMessage(
  ingress: Ingress,
  asked: Asked,
  params: SendParams,
): Promise<AsyncIterable<TaskEvent>> {
  const { told, listener } = textPieces(asked.signal);
  const begun = await begin(ingress, asked, params, listener);
  const task = await ownTask(ingress, asked, begun.task_id);
  return (async function* () {
    // A quick agent has already ended, and that comes last.
    yield { task: printTask({ ...task, state: 'running', outcome: null, body: null }) };
    const ending = awaitEnd(readerOf(ingress), asked, task, { ...(begun.stored && { until: begun.stored }) });
    yield* endOf(yield* piecesUntil(ending, told, task));
  })();
}

async function admitCaller(ingress: Ingress, { caller, name }: Asked): Promise<Admitted> {
  if (caller.kind === 'agent') return await admitSubagent(ingress, caller, name);
  return await admit(ingress.agents, caller, name);
}

interface BegunTask {
  task_id: string;
  /** The id of the call that the message began. */
  run_id: string;
  /** After the answer is stored. Undefined for a message that was sent before. */
  stored?: Promise<Ended>;
}

/** The same message, sent again, has the same task. */
async function begin(
  ingress: Ingress,
  asked: Asked,
  { message, configuration }: SendParams,
  listener?: Listener,
): Promise<BegunTask> {
  if (configuration?.taskPushNotificationConfig !== undefined) throw new A2aError('PUSH_NOTIFICATION_NOT_SUPPORTED');
  const admitted = await admitCaller(ingress, asked);
  const run_id = runIdOfMessage(admitted, message);
  return await beginOnce<BegunTask>(ingress, run_id, {
    begin: async () => await beginNew(ingress, asked, { admitted, message, run_id, listener }),
    again: async () => await Promise.resolve({ task_id: message.taskId ?? run_id, run_id }),
  });
}

/** An agent repeats its messages in each of its runs. */
function runIdOfMessage({ user, agent, through }: Admitted, message: SendParams['message']): string {
  const from = through === undefined ? [] : [through.chain[0]?.id ?? '', through.root_run_id ?? ''];
  return runIdOf({ caller_id: user.id, asset_id: agent.id, key: messageKey(message, from) });
}

interface NewMessage {
  admitted: Admitted;
  message: SendParams['message'];
  run_id: string;
  listener: Listener | undefined;
}

async function beginNew(
  ingress: Ingress,
  asked: Asked,
  { admitted, message, run_id, listener }: NewMessage,
): Promise<BegunTask> {
  const lists_files = admitted.revision.files !== undefined && message.taskId === undefined;
  const said = lists_files ? readPartsWithFiles(message.parts) : readParts(message.parts);
  const earlier = await continued(ingress, asked, message);
  const context_id = earlier?.context_id ?? message.contextId ?? randomUUIDv7();
  const input = earlier === undefined ? await inputOf(ingress, admitted, asked, said) : undefined;
  const body =
    input === undefined
      ? { resume: answerIn(said), thread_id: context_id }
      : { input: input.input, ...(input.keeps_threads && { thread_id: context_id }) };
  asked.signal.throwIfAborted();
  const task = { task_id: earlier?.task_id, turn: (earlier?.turn ?? 0) + 1, context_id };
  const run = startRun(ingress, admitted, asked.trace, run_id);
  const call = {
    admitted,
    run,
    origin: asked.caller.origin,
    headers: jsonHeaders(asked.headers),
    is_stored: true,
    task,
    listener,
    sender: asked.signal,
  };
  try {
    const { ending, detach } = await sendCall(ingress, { ...call, body: Buffer.from(JSON.stringify(body)) });
    const { stored } = await detach();
    return { task_id: task.task_id ?? run_id, run_id, stored: stored.then(async () => await ending) };
  } catch (error) {
    if (errorCode(error) === unique_violation)
      throw new A2aError('UNSUPPORTED_OPERATION', 'Another message has just continued this task.');
    if (error instanceof Blocked) return await storeRefused(ingress, { admitted, run, task }, error);
    throw error;
  }
}

function answerIn(said: Said | SaidWithFiles): unknown {
  if ('content' in said) throw new Error('an answer has no files');
  return 'text' in said ? said.text : said.data;
}

/** The task that the message answers. */
async function continued(
  ingress: Ingress,
  asked: Asked,
  { taskId, contextId }: SendParams['message'],
): Promise<store.Task | undefined> {
  if (taskId === undefined) return undefined;
  const task = await ownTask(ingress, asked, taskId);
  if (contextId !== undefined && contextId !== task.context_id)
    throw new A2aError('INVALID_PARAMS', 'message.contextId: the task has another context');
  if (task.outcome === 'interrupted') return task;
  throw new A2aError('UNSUPPORTED_OPERATION', `The task waits for no message: it is ${stateOf(task)}.`);
}

async function inputOf(
  ingress: Ingress,
  admitted: Admitted,
  { signal }: Asked,
  said: Said | SaidWithFiles,
): Promise<{ input: object; keeps_threads: boolean }> {
  const { input_schema, keeps_threads } = await describeAgent(ingress, admitted, signal);
  if ('content' in said) return { input: contentIntoInput(admitted.agent.ref, input_schema, said), keeps_threads };
  if ('text' in said) return { input: intoInput(admitted.agent.ref, input_schema, said.text), keeps_threads };
  if (typeof said.data !== 'object' || said.data === null || Array.isArray(said.data))
    throw new A2aError(
      'INVALID_PARAMS',
      'message.parts: the data of the part must be an object, the input of the agent',
    );
  return { input: said.data, keeps_threads };
}

function intoInput(ref: string, schema: unknown, text: string): object {
  const input = textIntoInput(schema, text);
  if (input !== undefined) return input;
  const fields = inputFields(schema).map(({ name }) => name);
  const takes = fields.length === 0 ? 'declares no input' : `takes ${fields.join(', ')}`;
  throw new A2aError('INVALID_PARAMS', `A text does not fit the input of ${ref}, which ${takes}: send one data part.`);
}

function contentIntoInput(ref: string, schema: unknown, { content }: SaidWithFiles): object {
  const [only, ...others] = inputFields(schema);
  if (only?.isConversation === true && others.length === 0) return { [only.name]: [{ role: 'user', content }] };
  throw new A2aError('INVALID_PARAMS', `Files do not fit the input of ${ref}, which takes no messages.`);
}

async function storeRefused({ db }: Ingress, call: Required<CallToStore>, error: Blocked): Promise<BegunTask> {
  const [instance] = call.admitted.revision.instances;
  if (instance === undefined) throw new Error('a guardrail reads only a call that has an instance');
  const { task, ...row } = rowOfCall({ ...call, turn: undefined }, instance.instance_id);
  if (task === undefined) throw new Error('a message is a turn of a task');
  await store.putRefused(db, { ...row, task }, answerOf(error));
  return { task_id: task.task_id, run_id: call.run.id, stored: Promise.resolve({ error }) };
}

/**
 * A full or unreachable agent is a refusal of HTTP, as for /invoke, so that a client tries again. A task whose connection broke goes on: its
 * container is asked for the answer.
 */
function refuseUnbegun(end: Ended): void {
  if ('error' in end) {
    const { error, is_not_begun } = end;
    if (!(error instanceof Problem) || is_not_begun === true || error.cause instanceof NotConnected) throw error;
    return;
  }
  const { status, retry_after, body } = end.answer;
  if (status !== 429) return;
  const detail = problemIn(body)?.detail;
  throw new Problem('rate_limited', {
    ...(detail !== undefined && { detail }),
    ...(retry_after !== undefined && { retry_after_seconds: Number(retry_after) }),
  });
}
