// Calls that outlived the sync budget. Each caller sees only their own, and only while they may call the agent.
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { jsonReply, type Reply } from '../../governance/http/answer/reply.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { answerOf, readAnswer } from './answer.ts';
import { runIdOf } from './calls/call-key.ts';
import type { Ingress } from './ingress.ts';
import * as store from './store.ts';
import { callAgent, short_ms } from './upstream.ts';

export interface InvocationOf {
  caller: Caller;
  name: string;
  run_id: string;
}

/** The unchanged answer, or 202 while the run continues. */
export async function readInvocation(ingress: Ingress, asked: InvocationOf): Promise<Reply> {
  const { row } = await ownInvocation(ingress, asked);
  const run_id = row.id;
  const headers = { 'x-run-id': run_id };
  if (row.state === 'running') return jsonReply({ run_id, status: 'running' }, 202, headers);
  const { status, content_type, body } = row;
  if (status === null || content_type === null || body === null)
    throw new Error(`run ${run_id} ended without an answer`);
  return { status, headers: { ...headers, 'content-type': content_type }, body };
}

/** The run ends as soon as the agent's code allows. An ended run does not change. A hanging container is `agent_unavailable`. */
export async function cancelInvocation(ingress: Ingress, asked: InvocationOf): Promise<Reply> {
  const { row, agent } = await ownInvocation(ingress, asked);
  const run_id = row.id;
  if (row.state === 'ended') return jsonReply({ run_id, status: 'ended' });
  // The call may be on its way to the container. The ingress that follows it sends the cancel again.
  if (!(await cancelRun(ingress, agent, row))) await store.setCancelPending(ingress.db, run_id, true);
  return jsonReply({ run_id, status: 'cancelling' }, 202);
}

/** As far as the agent's code allows. A call that waits for an instance is begun by none. A container that is gone has no run. False when the container does not know the run, or not yet. Throws `agent_unavailable` for a hanging one. */
export async function cancelRun(
  ingress: Ingress,
  agent: { id: string; ref: string },
  { id, instance_id }: Pick<store.Invocation, 'id' | 'instance_id'>,
): Promise<boolean> {
  if (instance_id === null) {
    const fields = { run_id: id, run_status: 'cancelled' };
    await store.end(ingress.db, id, answerOf(new Problem('cancelled', { fields })));
    return true;
  }
  const called = await ingress.agents.instance(instance_id);
  if (called === undefined) return true;
  const answered = await callAgent(ingress.connections, {
    instance: called.address,
    agent,
    method: 'POST',
    path: `/runs/${id}/cancel`,
    signal: AbortSignal.timeout(short_ms),
  });
  const { status } = await readAnswer(agent.ref, answered);
  return status !== 404;
}

async function ownInvocation(ingress: Ingress, { caller, name, run_id }: InvocationOf) {
  const { caller: user, agent } = await ingress.agents.find(signedIn(caller), name);
  if (agent === undefined) throw new Problem('not_found');
  authorize(user, 'asset.invoke', agent);
  const own = { agent_id: agent.id, caller_id: user.id };
  // A key of the caller names its run too.
  const keyed = runIdOf({ caller_id: user.id, asset_id: agent.id, key: run_id });
  const row =
    (await store.find(ingress.db, { id: run_id, ...own })) ?? (await store.find(ingress.db, { id: keyed, ...own }));
  if (row === undefined) throw new Problem('run_gone');
  return { row, agent };
}
