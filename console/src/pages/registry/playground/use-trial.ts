// One trial at a time: it is read while the page is open, and ends with it.
import type { Send } from '@gantry/contract/client/client.ts';
import type { TrialUsage } from '@gantry/contract/agents/prompt-trials.ts';
import { useEffect, useRef, useState } from 'react';
import { send } from '../../../server.ts';

export interface Trial {
  state: 'none' | 'running' | 'ended' | 'stopped';
  answer: string;
  /** What it answers: the text and the model can be others by now. */
  of: string | undefined;
  trace_id: string | undefined;
  used: TrialUsage | undefined;
  error: unknown;
}

const none: Trial = {
  state: 'none',
  answer: '',
  of: undefined,
  trace_id: undefined,
  used: undefined,
  error: undefined,
};
// Many pieces become one drawing of the page.
const draw_ms = 50;

export function useTrial(name: string) {
  const [trial, set] = useState(none);
  const reading = useRef<AbortController>(undefined);
  useEffect(() => () => reading.current?.abort(), []);

  const begin = async (body: Send<'prompts.try'>['body']) => {
    reading.current?.abort();
    const ending = new AbortController();
    reading.current = ending;
    let now: Trial = { ...none, state: 'running' };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      clearTimeout(timer);
      timer = undefined;
      if (reading.current === ending) set(now);
    };
    draw();
    try {
      const { answer } = await send('prompts.try', { params: { name }, body }, { signal: ending.signal });
      for await (const { data } of answer) {
        if (data.type === 'started')
          now = { ...now, trace_id: data.trace_id, of: `${data.ref ?? 'the draft'} on ${data.model}` };
        else if (data.type === 'delta') now = { ...now, answer: now.answer + data.text };
        else now = { ...now, used: data };
        timer ??= setTimeout(draw, draw_ms);
      }
      now = { ...now, state: 'ended' };
    } catch (error) {
      now = ending.signal.aborted ? { ...now, state: 'stopped' } : { ...now, state: 'ended', error };
    }
    draw();
  };
  return { trial, begin, stop: () => reading.current?.abort() };
}
