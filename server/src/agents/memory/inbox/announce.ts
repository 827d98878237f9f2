// Runs that wait for a person become entries of the audit log, which notifications, mail and webhooks follow. Promises: an entry tells of each
// question once, from any number of processes and through a crash: the threads remember it in the same transaction. A question that was answered
// within the time of the organisation is told to nobody. An agent has at most one entry in 15 minutes, which tells of all its questions.
import { isAway, type Database, type Reader } from '../../../ground/database/database.ts';
import { startLoop, type Loop } from '../../../ground/queue/loop.ts';
import { findAssetById } from '../../../assets/registry/find.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import { systemCaller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { settings } from '../../../people/principals/find.ts';
import { answerers } from './inbox-store.ts';
import * as store from './notice-store.ts';

const look_every_ms = 15_000;
const at_a_time = 200;
/** The entry counts further ones. */
const most_named = 20;

interface Announcing {
  onError: (error: unknown) => void;
}

/** True when more agents may wait. An agent that fails alone delays no other one, and is tried again with the next look. */
export async function announceWaiting(db: Database, { onError }: Announcing): Promise<boolean> {
  const { waiting_runs_told_after_minutes: waited_minutes } = await settings(db);
  if (waited_minutes === null) return false;
  const agents = await store.agentsToTellOf(db, { waited_minutes, limit: at_a_time });
  const failed: unknown[] = [];
  for (const agent_id of agents)
    await announce(db, { agent_id, waited_minutes }).catch((error: unknown) => {
      if (isAway(error)) throw error;
      failed.push(error);
    });
  if (failed.length > 0)
    onError(new Error(`nobody is told of the waiting runs of ${failed.length} agents`, { cause: failed[0] }));
  return agents.length === at_a_time && failed.length === 0;
}

async function announce(db: Database, of: { agent_id: string; waited_minutes: number }): Promise<void> {
  const agent = await findAssetById(db, of.agent_id, null);
  if (agent === undefined) return;
  await change(db, authorize(systemCaller('system.alert'), 'system.alert', agent), 'thread.waits', async (tx, note) => {
    const { notice_id, threads } = await store.takeUntold(tx, of);
    if (threads.length === 0) return;
    note({
      agent_id: agent.id,
      notice_id,
      waiting: threads.length,
      threads: threads.slice(0, most_named).map(({ id }) => id),
      callers: [...new Set(threads.map(({ owner, owner_id }) => owner ?? owner_id))].slice(0, most_named),
    });
  });
}

/** Of the runs that a notice told: how many of each caller still wait, and whom the agent names to answer. */
export async function toldBy(
  db: Reader,
  { agent_id, notice_id }: { agent_id: string; notice_id: string },
): Promise<{ runs_of: Map<string, number>; may_answer: string[] }> {
  const runs = await store.runsOf(db, notice_id);
  return {
    runs_of: new Map(runs.map(({ owner_id, count }) => [owner_id, count])),
    may_answer: await answerers(db, agent_id),
  };
}

/** Looks at intervals, so a call that ends with a question writes nothing for it. */
export function startAnnouncing(db: Database, { onError }: Announcing): Pick<Loop, 'stop'> {
  return startLoop(async () => await announceWaiting(db, { onError }), {
    pause_ms: look_every_ms,
    failed_pause_ms: look_every_ms,
    onError,
  });
}
