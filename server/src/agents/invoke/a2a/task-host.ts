// The source of the tasks that the protocol shows: agents (agent-tasks.ts), or a later folder. The protocol is the same for both.
import type { Reply } from '../../../governance/http/answer/reply.ts';
import type { TaskFilter, TaskPage } from '../store.ts';
import type { TaskEvent } from './follow-task.ts';
import type { Asked } from './own-task.ts';
import type { SendParams } from './params.ts';
import type { Task, TaskView } from './print-task.ts';

export type { TaskFilter, TaskPage };

export interface TaskReader {
  /** Decides anew. Throws the refusal, and TASK_NOT_FOUND for the task of another caller too. */
  own: (asked: Asked, id: string) => Promise<TaskView>;
  /** The service stops. */
  stopping: AbortSignal;
}

export interface TaskHost extends TaskReader {
  card: (asked: Asked) => Promise<Reply>;
  send: (asked: Asked, params: SendParams) => Promise<{ task: Task }>;
  stream: (asked: Asked, params: SendParams) => Promise<AsyncIterable<TaskEvent>>;
  /** Asks for the end of the task. Throws TASK_NOT_CANCELABLE for an ended one. */
  cancel: (asked: Asked, id: string) => Promise<void>;
  /** The latest first, and the number of all. */
  list: (asked: Asked, filter: TaskFilter, page: TaskPage) => Promise<{ rows: readonly TaskView[]; total: number }>;
}
