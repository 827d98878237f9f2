// The Agent2Agent protocol of an orchestration: a task is a run of its caller. The methods are those of agents (invoke/a2a/).
import { Problem } from '@gantry/contract/problems.ts';
import { isId } from '@gantry/contract/wire.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { jsonReply, type Reply } from '../../../governance/http/answer/reply.ts';
import { A2aError } from '../../invoke/a2a/a2a-error.ts';
import { printCard } from '../../invoke/a2a/card.ts';
import { awaitEnd, endOf } from '../../invoke/a2a/follow-task.ts';
import { messageKey } from '../../invoke/a2a/message-key.ts';
import type { Asked } from '../../invoke/a2a/own-task.ts';
import type { SendParams } from '../../invoke/a2a/params.ts';
import { printTask, stateOf, type TaskView } from '../../invoke/a2a/print-task.ts';
import { readParts } from '../../invoke/a2a/read-parts.ts';
import type { TaskHost, TaskReader } from '../../invoke/a2a/task-host.ts';
import { isAnsweredBy, membersThatAsk } from '../../memory/inbox/answer-run.ts';
import { runIdOf } from '../../invoke/calls/call-key.ts';
import { derivedId } from '../../invoke/calls/derived-id.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { findVersionById, type AssetRecord } from '../../../assets/registry/find.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import { requestCancel } from '../../../ground/runs/run.ts';
import { loadIdentity } from '../../../people/service-principals/load-caller.ts';
import { begin, notDeployed } from '../begin.ts';
import { loadOrchestration } from '../load-orchestration.ts';
import { inputSchema, inputsIn, keepsThreads } from '../members/member-inputs.ts';
import type { Orchestrations } from '../parts.ts';
import * as store from './task-store.ts';

export function orchestrationTasks(parts: Orchestrations): TaskHost {
  const { db, stopping, base_url } = parts.ingress;
  const reader: TaskReader = {
    stopping,
    own: async (asked, id) => {
      const { owner } = await findOwner(db, asked);
      const task = isId(id) ? await store.findTask(db, owner, id) : undefined;
      if (task === undefined) throw new A2aError('TASK_NOT_FOUND');
      return await withQuestions(parts.ingress, task);
    },
  };
  return {
    ...reader,
    card: async (asked) => await readCard(db, asked, base_url()),
    send: async (asked, params) => {
      const { id: task_id, ended } = await beginTask(parts, reader, asked, params);
      const isQuick = params.configuration?.returnImmediately === true;
      const task = isQuick
        ? reader.own(asked, task_id)
        : awaitEnd(reader, asked, { task_id }, { ...(ended && { until: ended }) });
      return { task: printTask(await task) };
    },
    stream: async (asked, params) => {
      const { id, ended } = await beginTask(parts, reader, asked, params);
      const task = await reader.own(asked, id);
      return (async function* () {
        // A quick run has already ended, and that comes last.
        yield { task: printTask({ ...task, state: 'running', outcome: null, body: null }) };
        yield* endOf(await awaitEnd(reader, asked, task, { ...(ended && { until: ended }) }));
      })();
    },
    cancel: async (asked, id) => {
      const { task_id } = await reader.own(asked, id);
      const isAsked = await db.transaction(async (tx) => await requestCancel(tx, task_id));
      if (!isAsked) throw new A2aError('TASK_NOT_CANCELABLE');
    },
    list: async (asked, filter, page) => {
      const { owner } = await findOwner(db, asked);
      const rows = await store.listTasks(db, owner, filter, page);
      return { rows, total: await store.countTasks(db, owner, filter) };
    },
  };
}

/** Decides anew: also for a reader who has followed a task for an hour. */
async function findOwner(
  db: Reader,
  { caller, name }: Pick<Asked, 'caller' | 'name'>,
): Promise<{ user: SignedInCaller; asset: AssetRecord; owner: store.TaskOwner }> {
  const { id, label, origin } = signedIn(caller);
  const user = await loadIdentity(db, id, origin);
  if (user === undefined) throw new Problem('forbidden', { detail: `The account ${label} is no longer active.` });
  const asset = await loadAsset(db, { kind: 'orchestration', name }, user);
  authorize(user, 'asset.invoke', asset);
  return { user, asset, owner: { orchestration_id: asset.id, caller_id: user.id } };
}

/** The same message, sent again, has the same run. */
async function beginTask(
  parts: Orchestrations,
  reader: TaskReader,
  asked: Asked,
  { message, configuration }: SendParams,
): Promise<{ id: string; ended?: Promise<void> }> {
  if (configuration?.taskPushNotificationConfig !== undefined) throw new A2aError('PUSH_NOTIFICATION_NOT_SUPPORTED');
  if (message.taskId !== undefined) return await continueTask(parts, reader, asked, message);
  const said = readParts(message.parts);
  const { owner } = await findOwner(parts.ingress.db, asked);
  const key = messageKey(message);
  const run_id = runIdOf({ caller_id: owner.caller_id, asset_id: owner.orchestration_id, key });
  const { caller, name, headers, trace } = asked;
  // A repeat of the message has the same context.
  const context_id = message.contextId ?? derivedId('context', run_id);
  const input = 'text' in said ? said.text : said.data;
  return await begin(parts, { caller, name, body: { input }, headers, trace, key, context_id });
}

/** The message answers the only question of the run. The same message, sent again, answers once. */
async function continueTask(
  { ingress }: Orchestrations,
  reader: TaskReader,
  asked: Asked,
  message: SendParams['message'],
): Promise<{ id: string }> {
  const task = await reader.own(asked, message.taskId ?? '');
  const { task_id: id } = task;
  if (message.contextId !== undefined && message.contextId !== task.context_id)
    throw new A2aError('INVALID_PARAMS', 'message.contextId: the task has another context');
  const { user, asset, owner } = await findOwner(ingress.db, asked);
  const key = runIdOf({ caller_id: owner.caller_id, asset_id: owner.orchestration_id, key: messageKey(message) });
  if (await isAnsweredBy(ingress.db, { run_id: id, message: key })) return { id };
  if (task.outcome !== 'interrupted')
    throw new A2aError('UNSUPPORTED_OPERATION', `The task waits for no message: it is ${stateOf(task)}.`);
  const said = readParts(message.parts);
  const asking = await membersThatAsk(ingress, id);
  const [only] = asking;
  if (only === undefined) throw new A2aError('UNSUPPORTED_OPERATION', store.asks_elsewhere);
  const questions = asking.flatMap(({ interrupts }) => interrupts).length;
  if (asking.length > 1 || questions > 1) {
    const of = asking.map(({ agent }) => agent).join(', ');
    throw new A2aError(
      'UNSUPPORTED_OPERATION',
      `${questions} questions wait, of ${of}. A message does not say which one it answers. Answer them in the inbox: svc inbox.`,
    );
  }
  const grant = authorize(user, 'asset.invoke', asset);
  await only.answer({ grant, value: 'text' in said ? said.text : said.data, message: key });
  return { id };
}

/** A task that waits says what its members ask. */
async function withQuestions(ingress: Orchestrations['ingress'], task: TaskView): Promise<TaskView> {
  if (task.outcome !== 'interrupted') return task;
  const interrupts = (await membersThatAsk(ingress, task.task_id)).flatMap((one) => one.interrupts);
  return interrupts.length === 0 ? task : { ...task, body: Buffer.from(JSON.stringify({ interrupts })) };
}

/** Its reader needs no right to call it. */
async function readCard(db: Reader, { caller, name }: Asked, base_url: string): Promise<Reply> {
  const user = signedIn(caller);
  const asset = await loadAsset(db, { kind: 'orchestration', name }, user);
  authorize(user, 'asset.read', asset);
  const serving = asset.serving_version_id === null ? undefined : await findVersionById(db, asset.serving_version_id);
  if (serving === undefined) throw notDeployed(asset);
  const orchestration = await loadOrchestration(db, serving.id);
  const inputs = await inputsIn(db, orchestration);
  const { description, tags } = asset;
  return jsonReply(
    printCard({
      kind: 'orchestration',
      name,
      description,
      tags,
      version: serving.version,
      url: `${base_url}/orchestrations/${name}/a2a`,
      input_schema: inputSchema(inputs, orchestration),
      keeps_threads: keepsThreads(inputs),
      isInside: false,
    }),
  );
}
