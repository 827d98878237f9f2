// The events of a task. The task can run in another process, so its row is read again until the task has ended. Each read decides anew if the caller
// may ask.
import { wakeUp } from '../../../ground/queue/wake-up.ts';
import { A2aError } from './a2a-error.ts';
import type { Asked } from './own-task.ts';
import { artifactOf, printTask, statusOf, type Artifact, type Status, type Task, type TaskView } from './print-task.ts';
import type { TaskReader } from './task-host.ts';

export type TaskEvent =
  | { task: Task }
  | { statusUpdate: { taskId: string; contextId: string; status: Status } }
  | { artifactUpdate: { taskId: string; contextId: string; artifact: Artifact; append: boolean; lastChunk: boolean } };

const look_again_ms = 500;

/** The answer to SubscribeToTask: the task, then its end. Throws for a task that has ended. */
export async function subscribe(host: TaskReader, asked: Asked, id: string): Promise<AsyncIterable<TaskEvent>> {
  const task = await host.own(asked, id);
  if (task.state === 'ended') throw new A2aError('UNSUPPORTED_OPERATION', 'The task has no further events.');
  return (async function* () {
    yield { task: printTask(task) };
    yield* endOf(await awaitEnd(host, asked, task));
  })();
}

/** The events of its end; none for a task that continues. */
export function* endOf(task: TaskView): Generator<TaskEvent> {
  if (task.state === 'running') return;
  const of = { taskId: task.task_id, contextId: task.context_id };
  const artifact = artifactOf(task);
  if (artifact !== undefined) yield { artifactUpdate: { ...of, artifact, append: false, lastChunk: true } };
  yield { statusUpdate: { ...of, status: statusOf(task) } };
}

/**
 * The task after its end; as it is after the time, or when its caller leaves, or the service stops. `until` is when this process has
 * stored its end.
 */
export async function awaitEnd(
  host: TaskReader,
  asked: Asked,
  { task_id }: Pick<TaskView, 'task_id'>,
  { until, most_ms = Infinity }: { until?: Promise<unknown>; most_ms?: number } = {},
): Promise<TaskView> {
  const { wake, sleep } = wakeUp();
  void until?.then(wake);
  const signal = AbortSignal.any([asked.signal, host.stopping]);
  const last = performance.now() + most_ms;
  for (;;) {
    const task = await host.own(asked, task_id);
    if (task.state === 'ended' || signal.aborted || performance.now() > last) return task;
    await sleep(look_again_ms, signal);
  }
}
