// How many calls agents make of each other. They are counted in the database, so all processes count together.
import { Problem } from '@gantry/contract/problems.ts';
import type { Tx } from '../../../ground/database/database.ts';
import * as store from '../store.ts';

/** In one run of a caller or an orchestration, through the whole tree of calls. */
const most_in_run = 50;
/** At once, of one agent that calls another for itself. */
const most_own = 4;

/** The transaction stores the call. Throws `too_many_calls` or `too_many_requests`. */
export async function refuseTooMany(
  tx: Tx,
  {
    id,
    agent_id,
    through: { via, root_run_id },
  }: Required<Pick<store.RunningInvocation, 'id' | 'agent_id' | 'through'>>,
): Promise<void> {
  if (root_run_id !== id) {
    await store.holdCount(tx, root_run_id);
    if ((await store.countInRun(tx, { root_run_id, id })) < most_in_run) return;
    throw new Problem('too_many_calls', { detail: `A run makes at most ${most_in_run} calls of agents.` });
  }
  await store.holdCount(tx, `${via} ${agent_id}`);
  if ((await store.countOwn(tx, { via, agent_id, id })) < most_own) return;
  throw new Problem('too_many_requests', {
    detail: `An agent that calls another for itself has at most ${most_own} open calls to it.`,
    hint: 'Call it within a run: the calls of a run have the run token of X-Svc-Run.',
    retry_after_seconds: 1,
  });
}
