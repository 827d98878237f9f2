// What somebody has changed by hand at a target is on the record: one entry when it is found and one when it is mended, from any number of looks
// and processes. Notifications follow the first. The row that remembers it commits with the entry.
import { setTimeout as sleep } from 'node:timers/promises';
import { authorize, type Grant } from '../../../governance/access/authorize.ts';
import { systemCaller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import type { AuditEvent } from '@gantry/contract/audit/audit.ts';
import { findAsset, type AssetRecord } from '../../../assets/registry/find.ts';
import type { Tx } from '../../../ground/database/database.ts';
import type { Loop } from '../../../ground/queue/loop.ts';
import * as driftStore from '../drift-store.ts';
import type { DeployParts, TargetName } from '../parts.ts';
import type { Drift } from '../targets/target.ts';
import { startTargetLoops } from './target-loops.ts';

type Parts = Pick<DeployParts, 'db' | 'targets'>;

export interface Looking {
  /** Between two looks of all processes at one target. */
  every_ms?: number;
  /** What is seen once may be in the middle of a change of the service itself. */
  again_ms?: number;
}

const of_looks = { every_ms: 5 * 60_000, again_ms: 3000 };

export function startDriftLooks(
  parts: Parts,
  { onError, every_ms = of_looks.every_ms, again_ms }: Looking & { onError: (error: unknown) => void },
): Pick<Loop, 'stop'> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause_ms = Math.min(every_ms, 60_000);
  const loop = startTargetLoops(
    parts.targets,
    async (target) => {
      if ((await parts.targets.find(target)).drift === undefined) return;
      if (await driftStore.takeLook(parts.db, { target, every_ms }))
        await findDrift(parts, { target, signal, again_ms });
    },
    { pause_ms, failed_pause_ms: pause_ms, onError: (error) => void (signal.aborted || onError(error)) },
  );
  return {
    stop: async () => {
      stopping.abort();
      await loop.stop();
    },
  };
}

/** Looks now. Undefined for a target that has nothing to compare. */
export async function findDrift(
  parts: Parts,
  {
    target,
    signal,
    again_ms = of_looks.again_ms,
  }: { target: TargetName; signal: AbortSignal; again_ms?: number | undefined },
): Promise<driftStore.DriftRow[] | undefined> {
  const { db } = parts;
  const at = await parts.targets.find(target);
  if (at.drift === undefined) return undefined;
  let found = await at.drift(signal);
  const known = await driftStore.openDrift(db, target);
  if (found.some((one) => !includes(known, one)) || known.some((one) => !includes(found, one))) {
    await sleep(again_ms, undefined, { signal });
    const again = await at.drift(signal);
    // Seen twice is found, and missed twice is mended.
    found = [
      ...again.filter((one) => includes(found, one) || includes(known, one)),
      ...stillThere({ found, known, again }),
    ];
    await note(parts, target, { found, known });
  }
  return await driftStore.openDrift(db, target);
}

const stillThere = (of: Record<'found' | 'known' | 'again', readonly Drift[]>) =>
  of.found.filter((one) => includes(of.known, one) && !includes(of.again, one));

const includes = (all: readonly Drift[], { kind, name, what }: Drift) =>
  all.some((one) => one.kind === kind && one.name === name && one.what === what);

/** In one entry. More are counted. */
const most_named = 20;

async function note(
  { db }: Parts,
  target: TargetName,
  { found, known }: Record<'found' | 'known', readonly Drift[]>,
): Promise<void> {
  const asset = await findAsset(db, 'target', target, null);
  const grant = authorize(systemCaller('system.alert'), 'system.alert', asset ?? theOrg);
  const mended = known.filter((one) => !includes(found, one));
  const about = { db, grant, target, asset };
  await noteOf(about, 'target.drifted', found, async (tx, one) => await driftStore.insertDrift(tx, target, one));
  await noteOf(about, 'target.mended', mended, async (tx, one) => await driftStore.removeDrift(tx, target, one));
}

interface About extends Pick<Parts, 'db'> {
  grant: Grant;
  target: TargetName;
  asset: AssetRecord | undefined;
}

async function noteOf(
  { db, grant, target, asset }: About,
  event: AuditEvent,
  all: readonly Drift[],
  store: (tx: Tx, one: Drift) => Promise<boolean>,
): Promise<void> {
  await change(db, grant, event, async (tx, say) => {
    const stored: Drift[] = [];
    for (const one of all) if (await store(tx, one)) stored.push(one);
    if (stored.length === 0) return;
    say({
      asset_id: asset?.id,
      target,
      count: stored.length,
      what: sentence(stored),
      findings: stored.slice(0, most_named),
      see: event === 'target.drifted' ? `svc target drift ${target}` : undefined,
    });
  });
}

function sentence([first, ...others]: readonly Drift[]): string {
  const said = first === undefined ? '' : `${first.kind} ${first.name}: ${first.detail}`;
  return others.length === 0 ? said : `${said}, and ${others.length} more`;
}
