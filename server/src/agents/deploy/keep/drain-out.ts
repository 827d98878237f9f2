// The end of an instance that takes no more calls. It finishes its running calls within the drain limit, and is removed. The state is in the database, so a
// restart of the service changes nothing.
import { isReturnable } from '../operate/warm.ts';
import { observe } from './condition.ts';
import { endInstance } from './end-instance.ts';
import { addressOf } from '../connections/address-of.ts';
import { askHealth, askToDrain } from './health.ts';
import type { DeployParts } from '../parts.ts';
import { endRevisionKey } from '../revision-key.ts';
import * as instanceStore from '../instance-store.ts';
import * as store from '../store.ts';
import { stopGraceSeconds } from '../targets/stop-grace.ts';

// A call that read the old route just before the switch may still reach the old container.
const late_calls_seconds = 2;

/** Called repeatedly until the instance is removed. */
export async function drainOut(parts: DeployParts, row: instanceStore.InstanceRow, signal: AbortSignal): Promise<void> {
  const { db, targets, connections, drain_limit_ms } = parts;
  const { revision_id, place, target: name } = row;
  if (row.is_warm && (await isReturnable(db, revision_id))) return;
  if (row.seconds_draining === null) return await instanceStore.setDraining(db, row.id);
  const seconds = row.seconds_draining;
  if (seconds < late_calls_seconds) return;
  const target = await targets.find(name);
  const seen = await observe(target, place, signal);
  if (place !== null && seen.state === 'running' && seen.url !== undefined && seconds * 1000 < drain_limit_ms) {
    const instance = addressOf(parts, { ...row, place, url: seen.url });
    await askToDrain(connections, instance, { bySignal: async () => await target.signalDrain(place, signal), signal });
    const health = await askHealth(connections, instance, signal);
    if (health === undefined || health.status !== 'draining' || health.in_flight > 0) return;
    // The container has the answers of the calls of a killed ingress, until another one asks for them.
    if (await parts.hasOpenCalls(row.id)) return;
  }
  const wasLast = await endInstance(parts, row, { grace_seconds: stopGraceSeconds }, signal);
  // The revision that serves keeps its key without an instance.
  if (!wasLast || row.desired !== null) return;
  const key_id = (await store.revision(db, revision_id))?.key_id ?? null;
  if (key_id !== null) await endRevisionKey(parts, key_id);
}
