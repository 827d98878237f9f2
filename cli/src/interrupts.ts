// Ctrl-C. By default it aborts the waiting command. A command can replace this, for example to detach from a deploy.
import { exitCodes } from './exit-codes.ts';
import type { Interrupts } from './session/session.ts';

export function listenForInterrupts(): Interrupts & { stop(): void } {
  const controller = new AbortController();
  const reactions: (() => void)[] = [];
  const interrupted = (): void => {
    const latest = reactions.at(-1);
    if (latest !== undefined) return latest();
    // A second Ctrl-C ends the process: the first did not.
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort(new DOMException('interrupted', 'AbortError'));
  };
  process.on('SIGINT', interrupted);
  return {
    signal: controller.signal,
    onInterrupt(react) {
      reactions.push(react);
      return { [Symbol.dispose]: () => void reactions.splice(reactions.indexOf(react), 1) };
    },
    stop: () => void process.off('SIGINT', interrupted),
  };
}
