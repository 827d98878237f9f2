// The run of a refresh. Promises: what serves changes only when all documents, chunks and vectors are there; a kill continues where it was; a failure leaves no
// snapshot behind.
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import type { Database } from '../../../ground/database/database.ts';
import type { RunKind } from '../../../ground/runs/run.ts';
import { settings } from '../../../people/principals/find.ts';
import { loadIdentity } from '../../../people/service-principals/load-caller.ts';
import { findAssetById, findAssetsById, type AssetRecord } from '../../../assets/registry/find.ts';
import { holdAsset } from '../../../assets/registry/load-asset.ts';
import { embedChunks } from '../chunks/embed-chunks.ts';
import { requireRecall } from '../quality/require-recall.ts';
import { makeChunks } from '../chunks/make-chunks.ts';
import type { Part } from '../chunk-store.ts';
import { findBlob } from '../document-store.ts';
import { purgeErased } from '../erase-document.ts';
import * as indexes from '../index-store.ts';
import type { RefreshParts } from '../parts.ts';
import { requireComparable } from '../search/most-compared.ts';
import { baseConfig, builtOver, indexContent, makingOf, partsOf, type Making } from '../searched.ts';
import { compareWithServing } from '../snapshots/compare.ts';
import * as snapshots from '../snapshot-store.ts';
import * as uploads from '../upload-store.ts';
import { endRefresh } from './end-refresh.ts';
import { readOneCommit, requireCommit } from './one-commit.ts';
import { readDocuments } from './read-documents.ts';
import { requirePayer } from './require-payer.ts';
import type { RefreshInput, RefreshResult, RefreshRun } from './refresh-input.ts';

export function refreshKind(parts: RefreshParts): RunKind<RefreshInput> {
  return {
    shares: { max: 3, team: 2, user: 2 },
    work: async (run) => {
      const asset = await findAssetById(parts.db, run.input.asset_id, null);
      if (asset === undefined) throw new Problem('not_found', { detail: `${run.input.ref} is gone.` });
      await requireRight(parts, run, asset.id);
      return asset.asset_kind === 'knowledge-base'
        ? await refreshBase(parts, run, asset)
        : await buildIndex(parts, run, asset);
    },
    end: async (run, ending, finish) => await endRefresh(parts.db, run, ending, finish),
  };
}

/** Before anything is read. Nobody waits for a refresh by a schedule or a hook, so only here it is decided. */
async function requireRight(parts: RefreshParts, run: RefreshRun, asset_id: string): Promise<void> {
  const caller = await loadRefresher(parts.db, run);
  const asset = await load(parts.db, asset_id, caller);
  authorize(caller, 'asset.write', asset);
  if (run.input.started !== undefined && asset.asset_kind === 'rag-index')
    await requirePayer(parts, caller, { asset, digest: run.input.config });
}

async function refreshBase(parts: RefreshParts, run: RefreshRun, base: AssetRecord): Promise<RefreshResult> {
  const { db } = parts;
  const { version, config: digest } = run.input;
  const config = await baseConfig(db, base, digest);
  await run.step('documents', async (at) => {
    await db.transaction(async (tx) => {
      await at.fenced(tx);
      await snapshots.begin(tx, { id: run.id, base_id: base.id, version, config: digest, made_by: run.actor.name });
    });
    const { knowledge_base_documents: most_documents } = await settings(db);
    const context = {
      outbound: parts.outbound,
      secret: async (name: string) => (await parts.readCredentials(db, base.team.id, [name])).get(name),
      uploads: {
        list: async () => await uploads.listed(db, base.id, { limit: most_documents + 1 }),
        read: async (sha256: string) => await findBlob(db, base.id, sha256),
      },
      onCommit: async (commit: string) => {
        at.log(`the repository is read at commit ${commit}`);
        await requireCommit(db, run.id, commit);
      },
      signal: at.signal,
    };
    const of = { base_id: base.id, snapshot_id: run.id, config, context, most_documents };
    await readOneCommit(db, run.id, async () => await readDocuments(parts, at, of));
  });
  const of_snapshot = { base_id: base.id, snapshot_id: run.id };
  const built = await builtOver(db, base);
  await run.step('chunks', async ({ signal }) => {
    const own = makingOf(config);
    await makeChunks(db, { ...of_snapshot, index_id: base.id, settings: own.settings, making: own }, signal);
    for (const { index, config: of_index } of built) {
      const making = makingOf(config, of_index);
      const part = { ...of_snapshot, index_id: index.id, settings: making.settings, making };
      await makeChunks(db, part, signal);
      await requireComparable(db, index, part);
    }
  });
  for (const { index, config: of_index } of built) {
    const making = makingOf(config, of_index);
    await run.step(
      `vectors of ${index.name}`,
      async (at) =>
        await embed(parts, at, index, {
          index_id: index.id,
          settings: making.settings,
          snapshot_id: run.id,
          base,
          making,
        }),
    );
  }
  if (config.min_recall !== undefined)
    await run.step('questions', async ({ signal, log }) => {
      const snapshot = { id: run.id, number: 0, config: digest, erasures: 0 };
      await requireRecall(parts, { base, snapshot, config, indexes: built, signal, log });
    });
  return await run.step('serve', async (at) => await finishSnapshot(db, at, base, config.approve));
}

/** It has its number from now on, and serves unless somebody must approve it. */
async function finishSnapshot(
  db: Database,
  run: RefreshRun,
  base: AssetRecord,
  waits: boolean,
): Promise<RefreshResult> {
  const caller = await loadRefresher(db, run);
  const grant = authorize(caller, 'asset.write', await load(db, base.id, caller));
  const event = waits ? 'knowledge.refreshed' : 'knowledge.served';
  return await change(db, grant, event, async (tx, note) => {
    await run.settle(tx);
    authorize(caller, 'asset.write', await holdAsset(tx, base.id, caller));
    // It was read before somebody erased it.
    await purgeErased(tx, base.id);
    const compared = await compareWithServing(tx, base.id, run.id);
    const { digest, added, changed, removed } = compared;
    const counts = { added: added.length, changed: changed.length, removed: removed.length };
    const number = await snapshots.finish(tx, { id: run.id, digest, ...counts });
    if (!waits) await snapshots.serve(tx, base.id, run.id);
    note({
      snapshot: number,
      by: run.input.started,
      version: run.input.version,
      digest,
      before: compared.before,
      ...counts,
    });
    return { snapshot: number, serves: !waits };
  });
}

async function buildIndex(parts: RefreshParts, run: RefreshRun, index: AssetRecord): Promise<RefreshResult> {
  const { db } = parts;
  const { version, config } = run.input;
  const of = await indexContent(db, index, config);
  const found = await partsOf(db, index, of);
  const missing = await findAssetsById(
    db,
    of.base_ids.filter((id) => !found.some(({ base }) => base.id === id)),
    null,
  );
  for (const { ref } of missing) run.notice(`${ref} has no snapshot that serves: svc kb refresh ${ref}`);
  await run.step('chunks', async ({ signal }) => {
    for (const part of found) {
      await makeChunks(db, { ...part, base_id: part.base.id }, signal);
      await requireComparable(db, index, part);
    }
  });
  for (const part of found)
    await run.step(`vectors of ${part.base.name}`, async (at) => await embed(parts, at, index, part));
  return await run.step('serve', async (at) => {
    const caller = await loadRefresher(db, at);
    const grant = authorize(caller, 'asset.write', await load(db, index.id, caller));
    return await change(db, grant, 'knowledge.built', async (tx, note) => {
      await at.settle(tx);
      authorize(caller, 'asset.write', await holdAsset(tx, index.id, caller));
      await indexes.putVersion(tx, index.id, { version, config });
      note({
        by: run.input.started,
        version,
        snapshots: found.map(({ base, snapshot }) => `${base.ref} ${snapshot.number}`),
      });
      return { snapshot: null, serves: true };
    });
  });
}

async function embed(
  parts: RefreshParts,
  { log, signal }: RefreshRun,
  index: AssetRecord,
  { making, base, ...part }: Part & { base: AssetRecord; making: Making },
): Promise<void> {
  if (making.embedding === undefined) return;
  const onBatch = (count: number) => log(`${count} vectors for ${index.ref}`);
  await embedChunks(parts, index, { part, base, model: making.embedding, signal, onBatch });
}

async function load(db: Database, id: string, caller: SignedInCaller): Promise<AssetRecord> {
  const asset = await findAssetById(db, id, caller);
  if (asset === undefined) throw new Problem('not_found');
  return asset;
}

/** As they are now: they may have lost the right meanwhile. */
async function loadRefresher(db: Database, run: RefreshRun): Promise<SignedInCaller> {
  const caller = await loadIdentity(db, run.actor.user_id, { ...run.input.origin, receipts: [] });
  if (caller === undefined)
    throw new Problem('forbidden', { detail: `The account ${run.actor.name} is no longer active.` });
  return caller;
}
