// The operations of the protocol on a caller's tasks.
import { z } from 'zod';
import { short_ms } from '../upstream.ts';
import { A2aError } from './a2a-error.ts';
import { awaitEnd } from './follow-task.ts';
import type { Asked } from './own-task.ts';
import { listParams, readParams } from './params.ts';
import { callsIn, printTask, type Task, type TaskView } from './print-task.ts';
import type { TaskFilter, TaskHost, TaskPage } from './task-host.ts';

export async function getTask(host: TaskHost, asked: Asked, id: string): Promise<Task> {
  return printTask(await host.own(asked, id));
}

/** Answers the task after at most five seconds. */
export async function cancelTask(host: TaskHost, asked: Asked, id: string): Promise<Task> {
  await host.cancel(asked, id);
  return printTask(await awaitEnd(host, asked, { task_id: id }, { most_ms: short_ms }));
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

export async function listTasks(host: TaskHost, asked: Asked, params: unknown): Promise<TaskList> {
  const { contextId, status, pageSize, pageToken, statusTimestampAfter, includeArtifacts } = readParams(
    listParams,
    params,
  );
  const filter: TaskFilter = {
    context_id: contextId,
    state: status === undefined || status === 'TASK_STATE_UNSPECIFIED' ? undefined : callsIn(status),
    updated_after: statusTimestampAfter,
  };
  const limit = pageSize === 0 ? usual_page_size : pageSize;
  const { rows, total: totalSize } = await host.list(asked, filter, {
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
  return { tasks, nextPageToken: last === undefined ? '' : printPageToken(last), pageSize: tasks.length, totalSize };
}

// The list shows only the caller's own tasks, so a token that a caller makes up shows nothing else.
const pageKey = z.tuple([z.iso.datetime(), z.uuid()]);

function printPageToken({ updated_at, task_id }: TaskView): string {
  return Buffer.from(JSON.stringify([updated_at, task_id])).toString('base64url');
}

function readPageToken(token: string | undefined): TaskPage['after'] {
  if (token === undefined || token === '') return undefined;
  try {
    const [updated_at, task_id] = pageKey.parse(JSON.parse(Buffer.from(token, 'base64url').toString()));
    return { updated_at, task_id };
  } catch {
    throw new A2aError('INVALID_PARAMS', 'pageToken: it comes from another list');
  }
}
