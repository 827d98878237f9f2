// The text of an agent while it answers, as pieces of the artifact that the end of the task replaces by the whole output.
import type { Listener } from '../listen.ts';
import { toldEvents, toldUntil, type ToldEvents } from '../streams/told-events.ts';
import type { TaskEvent } from './follow-task.ts';
import { outputArtifact, type TaskView } from './print-task.ts';

const between_messages = '\n\n';

/** Ends with the signal. */
export function textPieces(signal: AbortSignal): { told: ToldEvents<string>; listener: Listener } {
  const told = toldEvents<string>(({ length }) => length);
  let message: unknown;
  const listener: Listener = {
    signal,
    begin: () => {},
    hear: ({ type, messageId, delta }) => {
      if (type !== 'TEXT_MESSAGE_CONTENT' || typeof delta !== 'string' || delta === '') return true;
      if (told.isFull()) return false;
      const isNext = message !== undefined && message !== messageId;
      message = messageId;
      told.tell(isNext ? between_messages + delta : delta);
      return true;
    },
    end: () => {},
  };
  return { told, listener };
}

/** The first piece begins the artifact, and the others are appended. Returns the end. */
export async function* piecesUntil(
  end: Promise<TaskView>,
  told: ToldEvents<string>,
  task: TaskView,
): AsyncGenerator<TaskEvent, TaskView, undefined> {
  const of = { taskId: task.task_id, contextId: task.context_id };
  const texts = toldUntil(told, end);
  for (let append = false; ; append = true) {
    const next = await texts.next();
    if (next.done === true) return next.value;
    const artifact = outputArtifact(task, [{ text: next.value, mediaType: 'text/plain' }]);
    yield { artifactUpdate: { ...of, artifact, append, lastChunk: false } };
  }
}
