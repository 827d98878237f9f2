import { isId } from '@gantry/contract/wire.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller, EndCaller } from '../../../governance/access/caller.ts';
import type { RequestHeaders } from '../../../governance/http/request/request-headers.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import type { TraceContext } from '../../../ground/trace-context.ts';
import type { Ingress } from '../ingress.ts';
import * as store from '../store.ts';
import { findSubagent } from '../subagent.ts';
import { A2aError } from './a2a-error.ts';
import type { TaskReader } from './task-host.ts';

/** A request in the protocol. */
export interface Asked {
  caller: Caller;
  name: string;
  headers: RequestHeaders;
  signal: AbortSignal;
  trace: TraceContext;
}

/** Who may have tasks with the agent. Throws the refusal. */
export async function findOwner(
  ingress: Ingress,
  { caller, name }: Pick<Asked, 'caller' | 'name'>,
): Promise<{ agent: AssetRecord; user: EndCaller; owner: store.TaskOwner }> {
  if (caller.kind === 'agent') {
    const { asset: agent, user } = await findSubagent(ingress, caller, name);
    return { agent, user, owner: { agent_id: agent.id, caller_id: user.id, via: caller.id } };
  }
  const { caller: user, agent } = await ingress.agents.find(signedIn(caller), name);
  if (agent === undefined) throw new Problem('not_found');
  authorize(user, 'asset.invoke', agent);
  return { agent, user, owner: { agent_id: agent.id, caller_id: user.id, via: null } };
}

export const readerOf = (ingress: Ingress): TaskReader => ({
  own: async (asked, id) => await ownTask(ingress, asked, id),
  stopping: ingress.stopping,
});

/** Throws TASK_NOT_FOUND for the task of another caller, too. */
export async function ownTask(
  ingress: Ingress,
  asked: Pick<Asked, 'caller' | 'name'>,
  id: string,
): Promise<store.Task> {
  const { owner } = await findOwner(ingress, asked);
  const task = isId(id) ? await store.findTask(ingress.db, owner, id) : undefined;
  if (task === undefined) throw new A2aError('TASK_NOT_FOUND');
  return task;
}
