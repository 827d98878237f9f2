// A stream whose run outlives its reader. The call is stored as one of `Prefer: respond-async`, and its events come beside its answer. A reader who
// leaves ends nothing: the answer is in the thread, and at the address of the run. `invoke.cancel` ends the run.
import { printEvent, eventStream } from '../../../governance/http/answer/event-stream.ts';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import type { Event } from '../../../models/guardrails/guarded-events.ts';
import { printDone } from '../../../models/guardrails/print-done.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { admit } from '../admit.ts';
import type { Incoming } from '../call.ts';
import { problemIn } from '../calls/outcome.ts';
import { sendCall, type Ended, type SentCall } from '../calls/send-call.ts';
import { startRun } from '../calls/start-run.ts';
import type { Ingress } from '../ingress.ts';
import type { Listener } from '../listen.ts';
import { runError } from './agent-events.ts';
import { toldEvents, toldUntil, type ToldEvents } from './told-events.ts';

/** Throws the refusal of a call that is not begun. */
export async function storedStream(ingress: Ingress, incoming: Incoming): Promise<Reply> {
  const { caller, name, headers, body, signal, trace } = incoming;
  const admitted = await admit(ingress.agents, caller, name);
  signal.throwIfAborted();
  const run = startRun(ingress, admitted, trace);
  const { told, listener } = heardEvents(signal);
  const call = { admitted, run, origin: caller.origin, headers, body, is_stored: true, listener, sender: signal };
  const sent = await sendCall(ingress, call);
  const { stored } = await sent.detach({ awaits_end: true });
  // The end is told after it is stored, so that whoever reads the thread then finds it.
  const ended = stored.then(async () => await sent.ending);
  return eventStream(printed({ told, ended, sent, run_id: run.id }), {
    'x-run-id': run.id,
    'preference-applied': 'respond-async',
  });
}

/** Without the end of the run, which its answer tells. Events that nobody takes in time are left out. */
function heardEvents(signal: AbortSignal): { told: ToldEvents<Event>; listener: Listener } {
  const told = toldEvents<Event>((event) => JSON.stringify(event).length);
  const listener: Listener = {
    signal,
    begin: () => {},
    hear: (event) => {
      if (event['type'] === 'RUN_ERROR') return true;
      if (told.isFull()) return false;
      told.tell(event);
      return true;
    },
    end: () => {},
  };
  return { told, listener };
}

interface Printing {
  told: ToldEvents<Event>;
  ended: Promise<Ended>;
  sent: SentCall;
  run_id: string;
}

async function* printed({ told, ended, sent, run_id }: Printing): AsyncGenerator<string> {
  const events = toldUntil(told, ended);
  for (;;) {
    const next = await events.next();
    if (next.done !== true) {
      yield printEvent(next.value);
      continue;
    }
    const { guarded } = sent;
    if (guarded !== undefined)
      yield printEvent({ type: 'CUSTOM', name: 'guardrails', value: { summary: printDone(guarded.done) } });
    yield endEvent(run_id, next.value);
    return;
  }
}

function endEvent(run_id: string, ended: Ended): string {
  if ('error' in ended) {
    if (!(ended.error instanceof Problem)) throw ended.error;
    return runError(ended.error);
  }
  const { status, body } = ended.answer;
  if (status >= 400)
    return runError(problemIn(body) ?? { code: 'agent_error', detail: `The agent answered with ${status}.` });
  const answer = JSON.parse(body.toString()) as Answered; // as the wrapper prints it
  const outcome =
    answer.interrupts === undefined
      ? { type: 'success' }
      : { type: 'interrupt', interrupts: answer.interrupts.map(interruptEvent) };
  return printEvent({
    type: 'RUN_FINISHED',
    threadId: answer.thread_id ?? run_id,
    runId: run_id,
    result: answer.output,
    outcome,
  });
}

interface Answered {
  thread_id?: string | null;
  output?: unknown;
  interrupts?: Asked[];
}

interface Asked {
  id?: string | null;
  value?: unknown;
  response_schema?: unknown;
}

/** As the wrapper's own streams write it. */
const interruptEvent = ({ id, value, response_schema }: Asked) => ({
  id: id ?? crypto.randomUUID(),
  reason: 'interrupt',
  metadata: { value },
  ...(response_schema !== undefined && { responseSchema: response_schema }),
});
