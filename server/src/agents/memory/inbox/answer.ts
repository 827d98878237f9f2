// The answer of a person to a run that waits. Promises: one answer reaches the run, bound to the state that the person saw. The run goes on as its
// caller, whose rights are decided again. Who has answered is on the record before the run goes on, and gets nothing of the caller.
import { Problem } from '@gantry/contract/problems.ts';
import { isId } from '@gantry/contract/wire.ts';
import { authorize, Refusal } from '../../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { jsonReply, type Reply } from '../../../governance/http/answer/reply.ts';
import type { RequestHeaders } from '../../../governance/http/request/request-headers.ts';
import type { TraceContext } from '../../../ground/trace-context.ts';
import { within } from '../../../ground/within.ts';
import { findAssetById } from '../../../assets/registry/find.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { admitFor } from '../../invoke/admit-for.ts';
import { runningReply } from '../../invoke/calls/detached.ts';
import { printEnded } from '../../invoke/calls/print-ended.ts';
import { sendCall } from '../../invoke/calls/send-call.ts';
import { startRun } from '../../invoke/calls/start-run.ts';
import type { Ingress } from '../../invoke/ingress.ts';
import { findOwn } from '../threads/own-agent.ts';
import { nameThread } from '../../invoke/turns.ts';
import { openInterrupts } from '../threads/print-thread.ts';
import { answerRun } from './answer-run.ts';
import { checkAnswer } from './check-answer.ts';
import * as store from './inbox-store.ts';
import { mayAnswer } from './may-answer.ts';
import { openWait } from './run-wait-store.ts';

export interface AnswerOf {
  caller: Caller;
  name: string;
  thread: string;
  value: unknown;
  checkpoint_id?: string | undefined;
  /** Of the question that the caller saw. */
  waiting_since?: string | undefined;
  headers: RequestHeaders;
  trace: TraceContext;
}

/**
 * The caller of the run gets the answer of the agent, or 202; another person gets the id of the run alone. A run of an orchestration goes on by
 * itself. Throws `not_found`, `nothing_waits`, `answered_already`, `answer_refused`, and the refusals of a call.
 */
export async function answerThread(ingress: Ingress, asked: AnswerOf): Promise<Reply> {
  const { db, envelope, stopping, sync_budget_ms } = ingress;
  const { caller, name, value, headers, trace } = asked;
  const user = signedIn(caller);
  const asks = isId(asked.thread) ? await ownRunThatAsks(ingress, user, asked) : undefined;
  if (asks !== undefined) return await answerRun(ingress, { ...asks, is_own: true, value, headers });
  const agent = await loadAsset(db, { kind: 'agent', name }, caller);
  const grant = authorize(user, 'asset.read', agent);
  const own = await findOwn(db, nameThread({ agent_id: agent.id, owner_id: user.id }, asked.thread));
  const id = own?.id ?? asked.thread;
  const row = isId(id) ? await store.waitingThread(db, { id, agent_id: agent.id }) : undefined;
  const is_own = own !== undefined;
  if (row === undefined && is_own) throw new Problem('nothing_waits');
  // Another caller's thread that waits for nobody is as hidden as one that is not there.
  if (row === undefined || (!is_own && !mayAnswer(user, agent, row.may_answer)))
    throw new Refusal({ code: 'not_found', reason: 'no such thread waits' }, 'asset.read', agent);
  const expects = asked.checkpoint_id ?? row.checkpoint_id;
  if (expects !== row.checkpoint_id || !isAsked(row, asked)) throw new Problem('answered_already');
  checkAnswer(await openInterrupts(envelope, row), value);
  const wait = row.orchestration === null ? undefined : await openWait(db, row.id);
  if (wait !== undefined) return await answerRun(ingress, { grant, row, wait, value, is_own, headers });
  const admitted = await admitFor(ingress, { caller_id: row.owner_id, agent_id: agent.id });
  const run = startRun(ingress, admitted, trace);
  await change(db, grant, 'thread.answered', async (_, note) => {
    note({ thread: row.id, caller: row.owner ?? row.owner_id, checkpoint: expects, run: run.id });
    await Promise.resolve();
  });
  const body = Buffer.from(JSON.stringify({ thread_id: row.name, resume: value }));
  const json = new Headers({ 'content-type': 'application/json' });
  const sent = await sendCall(ingress, {
    admitted,
    run,
    origin: caller.origin,
    headers: json,
    body,
    is_stored: true,
    demand: { expects, expects_since: row.waiting_since },
  });
  await sent.detach();
  const end = await within(sync_budget_ms, sent.ending, stopping);
  if (!is_own) {
    if (end !== undefined && 'error' in end) throw end.error;
    return jsonReply({ run_id: run.id, status: 'answered' }, 200, { 'x-run-id': run.id });
  }
  if (end !== undefined) return printEnded(end, run.id, sent);
  return runningReply(headers, { run_id: run.id, location: `/agents/${name}/runs/${run.id}` });
}

/** A run of an orchestration of the caller's own that waits for this thread. The caller needs `use` of the orchestration, and no right on its member. */
async function ownRunThatAsks(
  { db, envelope }: Ingress,
  user: SignedInCaller,
  { name, thread, value, checkpoint_id, waiting_since }: AnswerOf,
) {
  const row = await store.ownWaitingThread(db, { id: thread, agent: name, owner_id: user.id });
  const wait = row === undefined || row.orchestration === null ? undefined : await openWait(db, row.id);
  if (row === undefined || wait === undefined) return undefined;
  if ((checkpoint_id ?? wait.checkpoint_id) !== wait.checkpoint_id || !isAsked(row, { waiting_since }))
    throw new Problem('answered_already');
  const asset = await findAssetById(db, wait.orchestration_id, user);
  if (asset === undefined) throw new Problem('not_found');
  checkAnswer(await openInterrupts(envelope, row), value);
  return { grant: authorize(user, 'asset.invoke', asset), row, wait };
}

/** The thread still asks what the caller saw. A step can ask several times at one state. */
function isAsked(row: Pick<store.WaitingRow, 'waiting_since'>, { waiting_since }: Pick<AnswerOf, 'waiting_since'>) {
  return waiting_since === undefined || waiting_since === row.waiting_since;
}
