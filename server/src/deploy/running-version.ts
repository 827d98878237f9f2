import type { Reader } from '../database/database.ts';
import * as store from './store.ts';

/** The version that a deploy on this target would replace. It may be stopped. */
export async function runningVersion(
  db: Reader,
  agent_id: string,
  target: string,
): Promise<{ version: string; digest: string } | undefined> {
  const route = await store.route(db, agent_id, target);
  return route && { version: route.version, digest: route.digest };
}
