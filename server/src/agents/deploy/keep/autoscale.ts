// Adds and removes instances by their load. The measurements are in memory, so a restart of the service only delays a decision. The number of
// instances is in the database.
import { resourceLimits } from '@gantry/project/agent-yaml.ts';
import type { ResourceLimits } from '@gantry/project/agent-yaml/resources.ts';
import { scalingOf, type Scaling } from '@gantry/project/agent-yaml/scaling.ts';
import { LRUCache } from 'lru-cache';
import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { loadAgentConfig } from '../../../assets/registry/versions/load-version-content.ts';
import { insertEvent } from '../event-store.ts';
import { takesCalls, type InstanceRow } from '../instance-store.ts';
import type { DeployParts } from '../parts.ts';
import * as store from '../store.ts';
import type { Lease } from './agent-leases.ts';
import { scaleTo } from './add-instance.ts';
import type { Idleness } from './idleness.ts';
import { findNoRoom } from './no-room.ts';
import type { OpenCalls } from './open-calls.ts';
import type { ProcessorUse } from './processor-use.ts';
import { isCalm, wantedInstances, type Measured } from './scaling.ts';

/** Since when one instance less is enough, when the last one was removed, and when one did not start, by agent and target. */
export type ScalingMemory = Map<
  string,
  { calm_since?: number | undefined; removed_at?: number | undefined; failed_at?: number | undefined }
>;

const after_failure_ms = 60_000;

/**
 * Called while the agent is held, with the instances of the revision that serves it on a target. Does nothing while one of them starts.
 */
export async function autoscale(
  parts: DeployParts,
  {
    use,
    idle,
    open,
    memory,
    rows,
  }: { use: ProcessorUse; idle: Idleness; open: OpenCalls; memory: ScalingMemory; rows: readonly InstanceRow[] },
  lease: Lease,
): Promise<void> {
  const { db, calm_before_removal_ms } = parts;
  const taking = rows.filter(takesCalls);
  const [row] = taking;
  if (row === undefined || taking.some(({ url }) => url === null)) return;
  const { agent_id, target, revision_id } = row;
  const { scaling, cpu_count, memory_bytes } = await boundsOf(db, row.version_id);
  const key = `${agent_id} ${target}`;
  const now = performance.now();
  const { calm_since, removed_at, failed_at } = memory.get(key) ?? {};
  const ids = taking.map(({ id }) => id);
  const measured: Measured = {
    instances: taking.length,
    cpu_percent: use.percentOf(ids, cpu_count),
    ...open.of(ids),
    idle_ms: idle.idleMs(ids),
    calm_ms: calm_since === undefined ? 0 : now - calm_since,
    since_removed_ms: removed_at === undefined ? Infinity : now - removed_at,
  };
  const { instances: wanted, why } = wantedInstances({ ...scaling, calm_before_removal_ms }, measured);
  const next = { calm_since: isCalm(scaling, measured) ? (calm_since ?? now) : undefined, removed_at, failed_at };
  memory.set(key, wanted < taking.length ? { ...next, calm_since, removed_at: now } : next);
  if (wanted <= taking.length && row.has_no_room) await store.clearNoRoom(db, { agent_id, target });
  if (wanted === taking.length) return;
  const more = wanted - taking.length;
  if (more > 0 && (await findNoRoom(parts, { agent_id, target, bytes: more * memory_bytes }, lease.signal))) return;
  if (more > 0 && failed_at !== undefined && now - failed_at < after_failure_ms) return;
  const about = { agent_id, target, revision_id };
  try {
    await scaleTo(parts, { revision_id, target, instances: wanted, why }, lease);
  } catch (error) {
    memory.set(key, { ...next, failed_at: performance.now() });
    if (error instanceof Problem && !lease.lost.aborted)
      await insertEvent(db, { ...about, kind: 'start_failed', reason: error.code, detail: error.detail });
    throw error;
  }
  const kind = more > 0 ? 'scaled_up' : wanted === 0 ? 'slept' : 'scaled_down';
  await insertEvent(db, { ...about, kind, detail: `From ${taking.length} to ${wanted} containers: ${why}` });
}

interface Bounds extends ResourceLimits {
  scaling: Scaling;
}

const max_versions = 10_000;
// A serving version has final content.
const known = new LRUCache<string, Bounds>({ max: max_versions });

async function boundsOf(db: Reader, version_id: string): Promise<Bounds> {
  const found = known.get(version_id);
  if (found !== undefined) return found;
  const config = await loadAgentConfig(db, version_id);
  const bounds = { scaling: scalingOf(config), ...resourceLimits(config) };
  known.set(version_id, bounds);
  return bounds;
}
