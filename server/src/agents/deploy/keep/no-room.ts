import type { DeployParts, TargetName } from '../parts.ts';
import { insertEvent } from '../event-store.ts';
import * as store from '../store.ts';

const most_of_the_engine = 0.8;

/** Why the target has no memory left for the agent; undefined when it has. The status of the agent says it too. */
export async function findNoRoom(
  { db, targets }: Pick<DeployParts, 'db' | 'targets'>,
  { agent_id, target, bytes }: { agent_id: string; target: TargetName; bytes: number },
  signal: AbortSignal,
): Promise<string | undefined> {
  const { used_bytes, memory_bytes } = await (await targets.find(target)).room(signal);
  const allowed = memory_bytes * most_of_the_engine;
  if (used_bytes + bytes <= allowed) return undefined;
  const gib = (count: number) => `${(count / 1024 ** 3).toFixed(1)} GiB`;
  const detail = `It needs ${gib(bytes)} for another container, and its target has ${gib(Math.max(0, allowed - used_bytes))} left.`;
  await db.transaction(async (tx) => {
    if (await store.setNoRoom(tx, { agent_id, target, detail }))
      await insertEvent(tx, { agent_id, target, kind: 'no_room', detail });
  });
  return detail;
}
