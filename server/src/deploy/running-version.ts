import type { Reader } from '../database/database.ts';
import * as store from './store.ts';

/** What a deploy on this target would replace, whether it is stopped or answers. */
export async function runningVersion(
  db: Reader,
  agent_id: string,
  target: string,
): Promise<{ version: string; digest: string } | undefined> {
  const route = await store.route(db, agent_id, target);
  return route && { version: route.version, digest: route.digest };
}
