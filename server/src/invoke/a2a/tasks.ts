// The tasks of one caller with one agent. Nobody else reads or ends them.
import { z } from 'zod';
import type { Ingress } from '../ingress.ts';
import { short_ms } from '../upstream.ts';
import { cancelRun } from '../invocations.ts';
import * as store from '../store.ts';
import { A2aError } from './a2a-error.ts';
import { awaitEnd } from './follow-task.ts';
import { findOwner, ownTask, type Asked } from './own-task.ts';
import { listParams, readParams } from './params.ts';
import { callsIn, printTask, type Task } from './print-task.ts';

export async function getTask(ingress: Ingress, asked: Asked, id: string): Promise<Task> {
  return printTask(await ownTask(ingress, asked, id));
}

/** The container ends the run as soon as the agent's code allows. Answers the task after at most five seconds. */
export async function cancelTask(ingress: Ingress, asked: Asked, id: string): Promise<Task> {
  const task = await ownTask(ingress, asked, id);
  if (task.outcome === 'interrupted' && (await store.cancelWaiting(ingress.db, task)))
    return await getTask(ingress, asked, id);
  if (task.state === 'ended') throw new A2aError('TASK_NOT_CANCELABLE');
  const { agent } = await findOwner(ingress, asked);
  await cancelRun(ingress, agent, task);
  return printTask(await awaitEnd(ingress, asked, task, { most_ms: short_ms }));
}

interface TaskList {
  tasks: Task[];
  /** Empty on the last page. */
  nextPageToken: string;
  pageSize: number;
  totalSize: number;
}

const usual_page_size = 50;
/** GetTask has the larger ones. */
const max_listed_bytes = 1024 * 1024;

export async function listTasks(ingress: Ingress, asked: Asked, params: unknown): Promise<TaskList> {
  const { contextId, status, pageSize, pageToken, statusTimestampAfter, includeArtifacts } = readParams(
    listParams,
    params,
  );
  const { owner } = await findOwner(ingress, asked);
  const filter: store.TaskFilter = {
    context_id: contextId,
    state: status === undefined || status === 'TASK_STATE_UNSPECIFIED' ? undefined : callsIn(status),
    updated_after: statusTimestampAfter,
  };
  const limit = pageSize === 0 ? usual_page_size : pageSize;
  const rows = await store.listTasks(ingress.db, owner, filter, {
    limit: limit + 1,
    after: readPageToken(pageToken),
    max_body_bytes: max_listed_bytes,
  });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const tasks = shown.map((row) => {
    const { artifacts, ...task } = printTask(row);
    return includeArtifacts && artifacts !== undefined ? { ...task, artifacts } : task;
  });
  const totalSize = await store.countTasks(ingress.db, owner, filter);
  return { tasks, nextPageToken: last === undefined ? '' : printPageToken(last), pageSize: tasks.length, totalSize };
}

// The list shows only the caller's own tasks, so a token that a caller makes up shows nothing else.
const pageKey = z.tuple([z.iso.datetime(), z.uuid()]);

function printPageToken({ updated_at, task_id }: store.Task): string {
  return Buffer.from(JSON.stringify([updated_at, task_id])).toString('base64url');
}

function readPageToken(token: string | undefined): store.TaskPage['after'] {
  if (token === undefined || token === '') return undefined;
  try {
    const [updated_at, task_id] = pageKey.parse(JSON.parse(Buffer.from(token, 'base64url').toString()));
    return { updated_at, task_id };
  } catch {
    throw new A2aError('INVALID_PARAMS', 'pageToken: it comes from another list');
  }
}
