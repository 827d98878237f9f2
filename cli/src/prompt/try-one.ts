// One trial of a prompt on a model: people read the answer as it is made, programs read each event as a line of JSON.
import type { Send } from '@gantry/contract/client/client.ts';
import type { TrialUsage } from '@gantry/contract/agents/prompt-trials.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Session } from '../session/session.ts';

export type TrialBody = Send<'prompts.try'>['body'];

export interface Tried {
  /** What was tried: `prompts/<name>@<version>`, or a draft. */
  text_of: string;
  model: string;
  answer: string;
  trace_id: string | null;
  used: TrialUsage | null;
  problem: Problem | null;
}

/** A refusal is part of the result, so that one of several trials does not end the others. */
export async function tryOne(session: Session, name: string, body: TrialBody): Promise<Tried> {
  const tried: Tried = {
    text_of: body.version === undefined ? `draft of prompts/${name}` : `prompts/${name}@${body.version}`,
    model: body.model,
    answer: '',
    trace_id: null,
    used: null,
    problem: null,
  };
  try {
    for await (const { data } of await session.call(
      'prompts.try',
      { params: { name }, body },
      { signal: session.signal },
    )) {
      session.output.event(data);
      if (data.type === 'started') {
        tried.trace_id = data.trace_id;
        if (data.ref !== null) tried.text_of = data.label === null ? data.ref : `${data.ref} (${data.label})`;
      } else if (data.type === 'delta') {
        tried.answer += data.text;
        session.output.write(data.text);
      } else tried.used = data;
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    tried.problem = error;
    session.output.event({ type: 'problem', code: error.code, detail: error.detail, model: body.model });
  }
  return tried;
}
