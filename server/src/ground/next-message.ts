import type { EventEmitter } from 'node:events';

interface Waiting {
  deadline_ms: number;
  /** At the deadline. */
  late: () => Error;
  /** It has ended without a message. */
  ended: () => Error;
}

/** The next message of a thread or a process. Throws its error, or one of those of `waiting`. */
export async function nextMessage(program: EventEmitter, { deadline_ms, late, ended }: Waiting): Promise<unknown> {
  const answered = Promise.withResolvers<unknown>();
  const exited = () => answered.reject(ended());
  program.once('message', answered.resolve).once('error', answered.reject).once('exit', exited);
  const timer = setTimeout(() => answered.reject(late()), deadline_ms);
  try {
    return await answered.promise;
  } finally {
    clearTimeout(timer);
    program.off('message', answered.resolve).off('error', answered.reject).off('exit', exited);
  }
}
