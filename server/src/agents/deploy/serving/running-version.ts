import type { Reader } from '../../../ground/database/database.ts';
import type { Before } from '../../../assets/registry/difference/compare.ts';
import { instancesOfRevision, takesCalls } from '../instance-store.ts';
import * as store from '../store.ts';

/** The version that a deploy on this target would replace, with what its container reaches. It may be stopped. */
export async function runningVersion(
  db: Reader,
  agent_id: string,
  target: string,
): Promise<({ version: string } & Before) | undefined> {
  const route = await store.route(db, agent_id, target);
  if (route === undefined) return undefined;
  const [instance] = (await instancesOfRevision(db, route.id)).filter(takesCalls);
  return { version: route.version, digest: route.digest, made: instance?.egress };
}

/** The version at the agent's address. Undefined when none was deployed there. */
export async function versionAtAddress(db: Reader, agent_id: string): Promise<string | undefined> {
  return (await store.defaultRoute(db, agent_id))?.version;
}
