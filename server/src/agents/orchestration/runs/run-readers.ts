// The readers of a run's stream in this process. The calls of the run find the readers by the run's id, and send them what the members say. A
// process that takes over the run finds no readers.
import type { Event } from '../../../models/guardrails/guarded-events.ts';
import { printEvent } from '../../../governance/http/answer/event-stream.ts';
import type { Listener } from '../../invoke/listen.ts';
import { toldEvents, type ToldEvents } from '../../invoke/streams/told-events.ts';
import { NestedEvents } from './nested-events.ts';

export interface RunReaders {
  /** Before the run begins. */
  open(run_id: string): RunReader;
  of(run_id: string): RunReader | undefined;
}

export interface RunReader {
  /** Printed events. */
  told: ToldEvents<string>;
  /** The listener of one call of the step. */
  listener(path: string, call_id: string): Listener;
  /** The step has begun in the stream. What its calls say before is told then. */
  start(path: string): void;
  /** Resolves when the latest call of the step says nothing more. */
  ended(path: string): Promise<void>;
  /** From now on the step says nothing more. */
  finish(path: string): void;
  close(): void;
}

export function runReaders(): RunReaders {
  const open = new Map<string, RunReader>();
  return {
    open: (run_id) => {
      const reader = runReader(() => open.delete(run_id));
      open.set(run_id, reader);
      return reader;
    },
    of: (run_id) => open.get(run_id),
  };
}

const too_slow = 'The stream is read too slowly. The rest is only in the answer of the member.';

interface Step {
  /** What its calls said before it began in the stream. */
  early: ToldEvents<string>;
  state: 'early' | 'open' | 'over';
  /** Prints the last events of the step's latest call. */
  last: () => void;
  ended: Promise<void>;
}

function runReader(onClose: () => void): RunReader {
  const told = waiting();
  const closing = new AbortController();
  const steps = new Map<string, Step>();
  const stepAt = (path: string): Step => {
    const step = steps.get(path) ?? { early: waiting(), state: 'early', last: () => {}, ended: Promise.resolve() };
    steps.set(path, step);
    return step;
  };
  return {
    told,
    listener: (path, call_id) => listenerOf(told, stepAt(path), { path, call_id, signal: closing.signal }),
    start: (path) => {
      const step = stepAt(path);
      step.state = 'open';
      step.early.take().forEach((event) => told.tell(event));
    },
    ended: async (path) => await stepAt(path).ended,
    finish: (path) => {
      const step = stepAt(path);
      step.last();
      step.state = 'over';
    },
    close: () => {
      onClose();
      closing.abort();
    },
  };
}

function listenerOf(
  told: ToldEvents<string>,
  step: Step,
  { signal, ...call }: { path: string; call_id: string; signal: AbortSignal },
): Listener {
  const nested = new NestedEvents(call);
  const ended = Promise.withResolvers<void>();
  const reader = () => (step.state === 'early' ? step.early : told);
  const tell = (events: readonly Event[]) => events.forEach((event) => reader().tell(printEvent(event)));
  let isCut = false;
  const last = () => {
    if (step.state === 'over') return;
    if (isCut) tell(nested.of({ type: 'CUSTOM', name: 'notice', value: too_slow }));
    isCut = false; // once
    tell(nested.close());
  };
  return {
    signal,
    begin: () => Object.assign(step, { last, ended: ended.promise }),
    hear: (event) => {
      isCut = reader().isFull();
      if (isCut || step.state === 'over') return false;
      tell(nested.of(event));
      return true;
    },
    end: () => {
      last();
      ended.resolve();
    },
  };
}

const waiting = () => toldEvents<string>(({ length }) => length);
