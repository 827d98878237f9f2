// A call for a caller who sends no request at this moment: a stored call that is sent again, or one that another person's answer continues.
import { Problem } from '@gantry/contract/problems.ts';
import { noRequest } from '../../governance/access/caller.ts';
import { loadIdentity } from '../../people/service-principals/load-caller.ts';
import { requireCallable } from '../deploy/serving/require-callable.ts';
import { answeringRevision, type Admitted } from './admit.ts';
import type { Ingress } from './ingress.ts';

/** As of now. Throws the refusal, and `agent_unavailable` while the container of an agent that never sleeps restarts. */
export async function admitFor(
  ingress: Pick<Ingress, 'db' | 'agents'>,
  of: { caller_id: string; agent_id: string },
): Promise<Admitted> {
  const { db, agents } = ingress;
  const user = await loadIdentity(db, of.caller_id, noRequest());
  if (user === undefined) throw new Problem('forbidden', { detail: 'The account of the caller is no longer active.' });
  const { agent, serving } = await agents.member(user, of.agent_id);
  if (agent === undefined) throw new Problem('not_found', { detail: 'The agent was deleted.' });
  requireCallable(user, agent, serving);
  const revision = answeringRevision(agent, serving);
  const again = async () => await admitFor(ingress, of);
  return { user, agent, revision, hidden: serving.hidden, again };
}
