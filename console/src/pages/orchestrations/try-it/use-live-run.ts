// A run that this page begins: its stream says how far it is. The service cancels the run of a window that closes.
import { Problem } from '@gantry/contract/problems.ts';
import { readServerSentEvents } from '@gantry/contract/formats/server-sent-events.ts';
import type { Send } from '@gantry/contract/client/client.ts';
import { useState } from 'react';
import { send } from '../../../server.ts';
import { applyEvent, type LiveRun, type RunStreamEvent } from './live-run.ts';

export type RunInput = Send<'orchestrate.stream'>['body']['input'];

export function useLiveRun(name: string): { run: LiveRun | undefined; begin: (input: RunInput) => Promise<void> } {
  const [shown, setShown] = useState<LiveRun>();
  const begin = async (input: RunInput) => {
    let run: LiveRun = { id: crypto.randomUUID(), run_id: undefined, state: 'running', calls: [], notices: [] };
    const show = (next: LiveRun) => {
      run = next;
      setShown(next);
    };
    show(run);
    try {
      const { answer } = await send('orchestrate.stream', { params: { name }, body: { input } });
      show({ ...run, run_id: answer.headers.get('x-run-id') ?? undefined });
      for await (const event of eventsOf(answer)) show(applyEvent(run, event, new Date().toISOString()));
      if (run.state !== 'running') return;
      show({
        ...run,
        state: 'failed',
        error: new Problem('agent_error', {
          detail: 'The stream ended before the answer. The page of the run says how it ends.',
        }),
      });
    } catch (error) {
      show({ ...run, state: 'failed', error });
    }
  };
  return { run: shown, begin };
}

async function* eventsOf({ body }: Response): AsyncGenerator<RunStreamEvent> {
  if (body === null) return;
  for await (const { data } of readServerSentEvents(body)) yield JSON.parse(data) as RunStreamEvent; // every member is checked where it is used
}
