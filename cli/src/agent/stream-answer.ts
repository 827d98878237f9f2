// An agent's answer as a stream: AG-UI events (docs.ag-ui.com) over server-sent events.
import { readAgentProblem } from '@gantry/contract/client/agent-problem.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { readServerSentEvents } from '@gantry/contract/formats/server-sent-events.ts';
import { describeAnswer } from './invocation.ts';
import type { Result } from '../result.ts';
import type { Session } from '../session/session.ts';

type StreamedEvent = Record<string, unknown> & { type?: unknown };

/** People get the text as it grows; programs get each event as a line of JSON. */
export async function printStream(session: Session, response: Response): Promise<Result> {
  if (response.body === null) throw new Problem('agent_error', { detail: 'The agent sent an empty answer' });
  let written = '';
  let begins_message = false;
  let finished: StreamedEvent | undefined;
  for await (const { data } of readServerSentEvents(response.body)) {
    const event = JSON.parse(data) as StreamedEvent; // every member is checked where it is used
    session.output.event(event);
    if (event.type === 'TEXT_MESSAGE_START') begins_message = true;
    if (event.type === 'TEXT_MESSAGE_CONTENT' && typeof event['delta'] === 'string') {
      // A run can have several messages: a crew has one for each task.
      const text = begins_message && written !== '' ? `\n${event['delta']}` : event['delta'];
      session.output.write(text);
      written += text;
      begins_message = false;
    }
    if (event.type === 'RUN_ERROR') throw failureOf(event);
    if (event.type === 'RUN_FINISHED') finished = event;
  }
  if (finished === undefined)
    throw new Problem('agent_error', { detail: 'The stream ended before the agent had finished' });
  // An agent without streamed text, such as a graph without a model, has its whole answer in the last event.
  const { type: status, interrupts } = outcomeOf(finished);
  const output = written === '' ? finished['result'] : undefined;
  return { data: undefined, view: describeAnswer({ output, status, interrupts }) };
}

function outcomeOf({ outcome }: StreamedEvent): { type?: unknown; interrupts?: unknown } {
  return typeof outcome === 'object' && outcome !== null ? outcome : {};
}

/** AG-UI's RUN_ERROR has a sentence and a code. */
function failureOf({ message, code }: StreamedEvent): Problem {
  return readAgentProblem({ detail: message, code: code ?? 'agent_error' }) ?? new Problem('agent_error');
}
