// Calls of an agent from this page: each one streams its answer. A run of an agent whose threads the service keeps outlives the page.
import { Problem } from '@gantry/contract/problems.ts';
import { readServerSentEvents } from '@gantry/contract/formats/server-sent-events.ts';
import { useEffect, useRef, useState } from 'react';
import { send } from '../../server.ts';
import { applyEvent, type AgentEvent, type Input, type Turn } from './turn.ts';

export interface CallOf {
  /** What the agent gets, and the thread to go on with: `new` makes one. */
  body: { input?: Input; thread_id?: string; resume?: unknown };
  /** The run goes on when its reader leaves. */
  isStored: boolean;
  /** The service has taken the call. */
  onTaken?: (run_id: string) => void;
}

export interface Calls {
  turns: readonly Turn[];
  isRunning: boolean;
  /** Resolves at its end, with it. */
  call: (of: CallOf) => Promise<Turn>;
  stop: () => void;
  /** The page shows it in another way now. */
  drop: (id: string) => void;
}

// Many events become one drawing of the page.
const draw_ms = 50;

interface Running {
  aborter: AbortController;
  isStored: boolean;
  run_id: string | undefined;
}

export function useCalls(name: string): Calls {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const running = useRef<Running>(undefined);
  useEffect(() => () => running.current?.aborter.abort(), []);

  const call = async ({ body, isStored, onTaken }: CallOf): Promise<Turn> => {
    const now: Running = { aborter: new AbortController(), isStored, run_id: undefined };
    running.current = now;
    const { signal } = now.aborter;
    let turn: Turn = {
      id: crypto.randomUUID(),
      input: body.input,
      state: 'running',
      started_ms: performance.now(),
      parts: [],
      steps: [],
    };
    const drawing = drawn(() => setTurns((all) => [...all.filter(({ id }) => id !== turn.id), turn]));
    const end = (change: Partial<Turn>) => {
      turn = { ...turn, ...change, took_ms: performance.now() - turn.started_ms };
      drawing.now();
      return turn;
    };
    drawing.now();
    try {
      const sent = new TextEncoder().encode(JSON.stringify(body));
      const headers: Record<string, string> = isStored ? { prefer: 'respond-async' } : {};
      const { answer } = await send('invoke.stream', { params: { name }, body: sent }, { signal, headers });
      const run_id = answer.headers.get('x-run-id') ?? undefined;
      now.run_id = run_id;
      turn = { ...turn, run_id, trace_id: answer.headers.get('x-trace-id') ?? undefined };
      if (run_id !== undefined) onTaken?.(run_id);
      for await (const event of eventsOf(answer)) {
        turn = applyEvent(turn, event);
        drawing.soon();
      }
      if (turn.state !== 'running') return end({});
      return end({
        state: 'failed',
        error: new Problem('agent_error', { detail: 'The stream ended before the answer.' }),
      });
    } catch (error) {
      return end(signal.aborted ? { state: 'cancelled' } : { state: 'failed', error });
    }
  };

  const stop = () => {
    const { aborter, isStored, run_id } = running.current ?? {};
    // The service cancels a run that is not stored when its reader leaves. A stored one says its end on the stream.
    if (isStored !== true || run_id === undefined) return aborter?.abort();
    send('invoke.cancel', { params: { name, run_id } }).catch(() => aborter?.abort());
  };

  return {
    turns,
    isRunning: turns.some(({ state }) => state === 'running'),
    call,
    stop,
    drop: (gone) => setTurns((all) => all.filter(({ id }) => id !== gone)),
  };
}

function drawn(draw: () => void): { now: () => void; soon: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const now = () => {
    clearTimeout(timer);
    timer = undefined;
    draw();
  };
  return { now, soon: () => void (timer ??= setTimeout(now, draw_ms)) };
}

async function* eventsOf({ body }: Response): AsyncGenerator<AgentEvent> {
  if (body === null) return;
  for await (const { data } of readServerSentEvents(body)) yield JSON.parse(data) as AgentEvent; // every member is checked where it is used
}
