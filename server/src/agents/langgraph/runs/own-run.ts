// What a client asks about a run on a thread of its caller.
import { Problem } from '@gantry/contract/problems.ts';
import { isId } from '@gantry/contract/wire.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../../governance/access/caller.ts';
import { eventStream } from '../../../governance/http/answer/event-stream.ts';
import { jsonReply, type Reply } from '../../../governance/http/answer/reply.ts';
import { problemIn } from '../../invoke/calls/outcome.ts';
import { cancelInvocation } from '../../invoke/invocations.ts';
import { ownAgent, ownThread } from '../../memory/threads/own-agent.ts';
import { refuseUnanswered } from '../not-answered.ts';
import { printThread } from '../threads/print.ts';
import * as store from '../store.ts';
import type { RunParts } from './begin-run.ts';
import { readParts } from './kept/read-parts.ts';
import { cancelling } from './kept/stream-kept.ts';
import { partOf, printPart } from './print-parts.ts';
import { printRun, runStatus } from './record-run.ts';
import { spacedJson } from './spaced-json.ts';

interface OfThread {
  caller: Caller;
  name: string;
  thread: string;
}
type OfRun = OfThread & { run_id: string };
type Following = OfRun & { signal: AbortSignal };

const look_again_ms = 300;
const most_runs = 1000;

export async function listRuns(
  parts: RunParts,
  {
    caller,
    name,
    thread,
    limit,
    offset,
    status,
  }: OfThread & { limit: number; offset: number; status?: string | undefined },
): Promise<Reply> {
  const own = await ownAgent(parts.db, caller, name);
  const { id: thread_id } = await ownThread(parts.db, own, thread);
  const rows = await store.listRuns(parts.db, { thread_id, most: most_runs });
  const found = rows.filter((row) => status === undefined || runStatus(row) === status).slice(offset, offset + limit);
  return jsonReply(found.map((row) => printRun(parts, row, { thread, assistant_id: own.agent.id })));
}

export async function showRun(parts: RunParts, { thread, ...asked }: OfRun): Promise<Reply> {
  const { row, own } = await ownRun(parts, { thread, ...asked });
  return jsonReply(printRun(parts, row, { thread, assistant_id: own.agent.id }));
}

/** The values of the thread, once the run has ended. */
export async function joinRun(parts: RunParts, asked: Following): Promise<Reply> {
  await ownRun(parts, asked);
  const headers = { 'content-type': 'application/json' };
  return { status: 200, headers, body: spacedJson(endOfRun(parts, asked), parts.ingress.stopping) };
}

/** The kept parts after an id. Of a run that keeps none, one event at its end. */
export async function joinStream(
  parts: RunParts,
  {
    after,
    cancel_on_disconnect,
    ...asked
  }: Following & { after: number | undefined; cancel_on_disconnect?: boolean | undefined },
): Promise<Reply> {
  const { run_id } = asked;
  const decide = async () => await ownRun(parts, asked);
  const { row } = await decide();
  const signal = AbortSignal.any([asked.signal, parts.ingress.stopping]);
  const onLeave = cancel_on_disconnect === true ? cancelling(parts, asked) : () => {};
  const at = { location: `/threads/${encodeURIComponent(asked.thread)}/runs/${run_id}/stream` };
  if (row.keeps_parts) return eventStream(readParts(parts, { run_id, after, signal, decide, onLeave }), at);
  return eventStream(
    (async function* () {
      const values = await endOfRun(parts, asked);
      const failure = failureOf(values);
      yield printPart(failure === undefined ? partOf('values', values) : partOf('error', failure));
    })(),
  );
}

export async function cancelRun(
  parts: RunParts,
  { wait, action, ...asked }: Following & { wait: boolean; action: string },
): Promise<Reply> {
  refuseUnanswered({ 'action: rollback': action === 'rollback' });
  const { row } = await ownRun(parts, asked);
  if (row.state === 'ended') return jsonReply({}, 200);
  await cancelInvocation(parts.ingress, asked);
  if (wait) await endOfRun(parts, asked);
  return jsonReply({}, wait ? 200 : 202);
}

/** Each look decides anew if the caller may ask. Throws the reason of the signal. */
async function endOfRun(parts: RunParts, asked: Following): Promise<unknown> {
  const signal = AbortSignal.any([asked.signal, parts.ingress.stopping]);
  for (;;) {
    const { row, own } = await ownRun(parts, asked);
    if (row.state === 'ended') {
      const { status, head } = row;
      if (status !== null && status >= 400) {
        const { code, detail } = problemIn(head ?? Buffer.from('')) ?? {
          code: 'agent_error',
          detail: 'The run failed.',
        };
        return { __error__: { error: code, message: detail } };
      }
      const thread = await ownThread(parts.db, own, asked.thread);
      return (await printThread(parts, own.agent, thread))['values'] ?? {};
    }
    await sleep(look_again_ms, undefined, { signal });
  }
}

function failureOf(values: unknown): unknown {
  return typeof values === 'object' && values !== null && '__error__' in values ? values.__error__ : undefined;
}

/** Throws `not_found`, also for a run of another caller or thread. */
async function ownRun(parts: RunParts, { caller, name, thread, run_id }: OfRun) {
  const own = await ownAgent(parts.db, caller, name);
  const { id: thread_id } = await ownThread(parts.db, own, thread);
  const row = isId(run_id) ? await store.findRun(parts.db, { thread_id, run_id }) : undefined;
  if (row === undefined) throw new Problem('not_found', { detail: 'The thread has no such run.' });
  return { row, own };
}
