// Calls of an agent from this page: each one streams its answer, and can be cancelled.
import { Problem } from '@gantry/contract/problems.ts';
import { readServerSentEvents } from '@gantry/contract/formats/server-sent-events.ts';
import { useRef, useState } from 'react';
import { send } from '../../../server.ts';
import { applyEvent, type AgentEvent, type Input, type Turn } from './turn.ts';

interface AgentCalls {
  turns: readonly Turn[];
  isRunning: boolean;
  call: (input: Input) => Promise<void>;
  cancel: () => void;
  clear: () => void;
}

export function useAgentCalls(name: string): AgentCalls {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const aborter = useRef<AbortController>(null);
  const isRunning = turns.some(({ state }) => state === 'running');

  const call = async (input: Input) => {
    const aborting = new AbortController();
    aborter.current = aborting;
    let turn: Turn = {
      id: crypto.randomUUID(),
      input,
      state: 'running',
      started_ms: performance.now(),
      messages: [],
      steps: [],
    };
    const show = (next: Turn) => {
      turn = next;
      setTurns((all) => [...all.filter(({ id }) => id !== next.id), next]);
    };
    const end = (change: Partial<Turn>) => show({ ...turn, ...change, took_ms: performance.now() - turn.started_ms });
    show(turn);
    try {
      const body = new TextEncoder().encode(JSON.stringify({ input }));
      const { answer } = await send('invoke.stream', { params: { name }, body }, { signal: aborting.signal });
      const { headers } = answer;
      show({
        ...turn,
        run_id: headers.get('x-run-id') ?? undefined,
        trace_id: headers.get('x-trace-id') ?? undefined,
      });
      for await (const event of eventsOf(answer)) show(applyEvent(turn, event));
      if (turn.state !== 'running') return end({});
      end({ state: 'failed', error: new Problem('agent_error', { detail: 'The stream ended before the answer.' }) });
    } catch (error) {
      end(aborting.signal.aborted ? { state: 'cancelled' } : { state: 'failed', error });
    }
  };

  return {
    turns,
    isRunning,
    call,
    // The service cancels the run of a caller who leaves.
    cancel: () => aborter.current?.abort(),
    clear: () => setTurns([]),
  };
}

async function* eventsOf({ body }: Response): AsyncGenerator<AgentEvent> {
  if (body === null) return;
  for await (const { data } of readServerSentEvents(body)) yield JSON.parse(data) as AgentEvent; // every member is checked where it is used
}
