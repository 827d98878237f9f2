// The end of a replaced revision. It finishes its running calls within the drain limit, and is removed. The state is in the database, so a
// restart of the service changes nothing.
import { releasePlace } from './artefacts.ts';
import { askHealth } from './health.ts';
import type { DeployParts } from './parts.ts';
import { endRevisionKey } from './revision-key.ts';
import * as store from './store.ts';
import { stopGraceSeconds } from './targets/stop-grace.ts';

// A call that read the old route just before the switch may still reach the old container.
const late_calls_seconds = 2;

/** Called repeatedly until the instance is removed. */
export async function drainOut(parts: DeployParts, row: store.InstanceRow, signal: AbortSignal): Promise<void> {
  const { db, targets, drain_limit_ms } = parts;
  const { revision_id, place } = row;
  const seconds = row.seconds_draining ?? Infinity;
  if (seconds < late_calls_seconds) return;
  const target = targets[place.target];
  const seen = await target.observe(place, signal);
  if (seen.state === 'running' && seen.url !== undefined && seconds * 1000 < drain_limit_ms) {
    await target.drain(place, signal);
    const health = await askHealth(seen.url, signal);
    if (health === undefined || health.status !== 'draining' || health.in_flight > 0) return;
  }
  await target.stop(place, { grace_seconds: stopGraceSeconds }, signal);
  await releasePlace(parts, place, signal);
  await store.removeInstance(db, revision_id);
  const key_id = (await store.revision(db, revision_id))?.key_id ?? null;
  if (key_id !== null) await endRevisionKey(parts, key_id);
}
