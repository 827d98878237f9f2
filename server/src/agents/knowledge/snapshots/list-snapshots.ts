import type { KnowledgeContents, KnowledgeSnapshot } from '@gantry/contract/agents/knowledge.ts';
import type { Page } from '@gantry/contract/endpoint.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import { decide } from '../../../governance/access/decide.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { Cursors } from '../../../governance/http/cursor.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import { documentsOf } from '../document-store.ts';
import { sightOf } from '../rights/sight.ts';
import * as store from '../snapshot-store.ts';
import { compare } from './compare.ts';

/** The newest first. */
export async function listSnapshots(
  { db, cursors }: { db: Reader; cursors: Cursors },
  caller: Caller,
  { name, limit, cursor }: { name: string; limit: number; cursor?: string | undefined },
): Promise<Page<KnowledgeSnapshot>> {
  const base = await loadBase(db, caller, name);
  const scope = ['snapshots', base.id, signedIn(caller).id];
  const [before] = cursors.read(cursor, scope) ?? [];
  const rows = await store.listed(db, base.id, {
    ...(before !== undefined && { before: Number(before) }),
    limit: limit + 1,
  });
  const isOwner = mayChange(caller, base);
  return cursors.page(
    rows,
    limit,
    scope,
    ({ number }) => [number],
    (row) => printSnapshot(row, isOwner),
  );
}

/** Documents with readers are listed for those alone, also in what is gone, and others count without them. */
export async function showSnapshot(
  db: Reader,
  caller: Caller,
  { name, number }: { name: string; number: number },
): Promise<KnowledgeContents> {
  const user = signedIn(caller);
  const base = await loadBase(db, user, name);
  const snapshot = await loadSnapshot(db, base, number);
  const before = await store.lastBefore(db, base.id, number);
  const { sees } = await sightOf(db, user, base);
  const documents = (await documentsOf(db, snapshot.id)).filter(sees);
  const earlier = before === undefined ? [] : (await documentsOf(db, before.id)).filter(sees);
  const { added, changed, removed } = compare(earlier, documents);
  const [isAdded, isChanged] = [new Set(added), new Set(changed)];
  const isOwner = mayChange(user, base);
  const seen = { documents: documents.length, added: added.length, changed: changed.length, removed: removed.length };
  return {
    ...printSnapshot(snapshot, isOwner),
    ...(!isOwner && seen),
    listed: documents.map(({ id, path, title, media_type, source_bytes, pages, readers }) => ({
      id,
      path,
      title,
      media_type,
      bytes: source_bytes,
      pages,
      has_readers: readers !== null,
      change: isAdded.has(path) ? 'added' : isChanged.has(path) ? 'changed' : 'same',
    })),
    unreadable: isOwner ? await store.failuresOf(db, snapshot.id) : [],
    gone: removed,
  };
}

export async function loadBase(db: Reader, caller: Caller, name: string): Promise<AssetRecord> {
  const base = await loadAsset(db, { kind: 'knowledge-base', name }, caller);
  authorize(caller, 'asset.read', base);
  return base;
}

export async function loadSnapshot(db: Reader, base: AssetRecord, number: number): Promise<store.SnapshotRow> {
  const row = await store.byNumber(db, base.id, number);
  if (row !== undefined) return row;
  throw new Problem('not_found', {
    detail: `${base.ref} has no snapshot ${number}.`,
    hint: `List them: svc kb snapshots ${base.name}`,
  });
}

const mayChange = (caller: Caller, base: AssetRecord) => decide(caller, 'asset.write', base).allowed;

/** Numbers would tell the others what is hidden from them. */
const hidden_counts = { documents: null, failures: null, added: null, changed: null, removed: null };

export function printSnapshot(
  { id: _, base_id: __, config: ___, erasures: ____, ...row }: store.SnapshotRow,
  isOwner: boolean,
): KnowledgeSnapshot {
  return { ...row, ...(!isOwner && hidden_counts) };
}
