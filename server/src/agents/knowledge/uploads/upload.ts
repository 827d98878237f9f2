// A file is sent to a base. Must never happen: a sender without the right makes the service hold the file, or a base grows past its limits.
import { most_upload_bytes, type KnowledgeUpload } from '@gantry/contract/agents/knowledge-uploads.ts';
import type { OrgSettings } from '@gantry/contract/people/org.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { settings } from '../../../people/principals/find.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { sha256 } from '../../../assets/registry/content.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import { holdAsset, loadAsset } from '../../../assets/registry/load-asset.ts';
import { loadVersion } from '../../../assets/registry/versions/load-version.ts';
import { fairSlots } from '../../../assets/registry/push/fair-slots.ts';
import type { Database } from '../../../ground/database/database.ts';
import { readAtMost } from '../../../ground/read-at-most.ts';
import * as documents from '../document-store.ts';
import { baseConfig } from '../searched.ts';
import * as store from '../upload-store.ts';

interface UploadRequest {
  name: string;
  path: string;
  file: ReadableStream<Uint8Array>;
  signal: AbortSignal;
  /** The caller, read again when the last read is old. */
  callerNow: () => Promise<Caller>;
}

/** Throws `uploads_off`, `uploads_full` and `too_large`. The same file again changes nothing. */
export type Upload = (caller: Caller, request: UploadRequest) => Promise<KnowledgeUpload>;

export function openUploads(db: Database): Upload {
  // Each file is in memory while it is stored.
  const receiving = fairSlots({
    max: 8,
    shares: { user: 4, team: 6 },
    wait_ms: 60_000,
    busy: 'Too many uploads arrive at once.',
  });
  return async (caller, { name, path, file, signal, callerNow }) => {
    const user = signedIn(caller);
    const base = await uploadable(db, user, name);
    return await receiving({ user: user.id, team: base.team.id }, signal, async () => {
      const bytes = await readAtMost(file, most_upload_bytes, tooLarge);
      const now = await callerNow();
      return await keep(db, now, { base: await uploadable(db, now, name), path, bytes });
    });
  };
}

async function uploadable(db: Database, caller: Caller, name: string): Promise<AssetRecord> {
  const user = signedIn(caller);
  const base = await loadAsset(db, { kind: 'knowledge-base', name }, user);
  authorize(user, 'asset.write', base);
  const { row } = await loadVersion(db, base, 'latest');
  const { uploads } = await baseConfig(db, base, row.digest);
  if (!uploads)
    throw new Problem('uploads_off', {
      detail: `The config of ${base.ref} does not say \`uploads: true\`.`,
      hint: `Add it: svc registry knowledge-base edit ${base.name}`,
    });
  return base;
}

async function keep(
  db: Database,
  caller: Caller,
  { base, path, bytes }: { base: AssetRecord; path: string; bytes: Buffer },
): Promise<KnowledgeUpload> {
  const user = signedIn(caller);
  const digest = sha256(bytes);
  const grant = authorize(user, 'asset.write', base);
  await change(db, grant, 'knowledge.uploaded', async (tx, note) => {
    authorize(user, 'asset.write', await holdAsset(tx, base.id, user));
    const before = await store.find(tx, base.id, path);
    if (before?.sha256 === digest) return;
    const others = await store.sizeWithout(tx, base.id, path);
    const quota = await settings(tx);
    const is_full =
      others.files >= quota.knowledge_base_documents ||
      others.bytes + bytes.length > quota.knowledge_base_mb * 1024 ** 2;
    if (is_full) throw full(base, quota);
    await documents.putBlob(tx, base.id, digest, bytes);
    await store.put(tx, base.id, { path, sha256: digest, bytes: bytes.length });
    if (before !== undefined) await documents.dropUnusedBlob(tx, base.id, before.sha256);
    note({ path, digest, bytes: bytes.length, before: before?.sha256 ?? null });
  });
  const kept = await store.find(db, base.id, path);
  if (kept === undefined) throw new Problem('conflict', { detail: `${path} was deleted at the same time.` });
  return printUpload(kept);
}

export function printUpload({ sha256: digest, ...row }: store.UploadRow): KnowledgeUpload {
  return { ...row, digest };
}

const tooLarge = () =>
  new Problem('too_large', { detail: `The file has more than ${most_upload_bytes / 1024 ** 2} MB.` });

function full(base: AssetRecord, quota: Pick<OrgSettings, 'knowledge_base_documents' | 'knowledge_base_mb'>): Problem {
  return new Problem('uploads_full', {
    detail: `${base.ref} takes at most ${quota.knowledge_base_documents} files, and ${quota.knowledge_base_mb} MB.`,
    hint: `Delete files: svc kb uploads ${base.name}, then svc kb delete-upload ${base.name} <path>. Or divide the base into several.`,
  });
}
