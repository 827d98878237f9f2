// The files of a version. Every reader sees their names and sizes, and the text that policy.ts allows.
import { textOf } from '@gantry/project/text-of.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printVersionRef, type VersionRef } from '@gantry/contract/refs.ts';
import { max_text_bytes, type VersionText } from '@gantry/contract/assets/registry.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { Content } from '../content.ts';
import * as contents from '../content-store.ts';
import { loadAsset } from '../load-asset.ts';
import { textOfFilesNeeds } from '../policy.ts';
import { loadVersion } from './load-version.ts';

export async function listFiles(db: Reader, caller: Caller, ref: VersionRef) {
  const asset = await loadAsset(db, ref, caller);
  authorize(caller, 'asset.read', asset);
  const { content } = await loadVersion(db, asset, ref.version);
  return content.manifest.map(fileRecord).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

export async function showFile(
  db: Reader,
  caller: Caller,
  { path, ...ref }: VersionRef & { path: string },
): Promise<VersionText> {
  const asset = await loadAsset(db, ref, caller);
  authorize(caller, textOfFilesNeeds(asset), asset);
  const { content } = await loadVersion(db, asset, ref.version);
  const file = content.manifest.find((one) => one.path === path);
  if (file === undefined)
    throw new Problem('not_found', { detail: `${printVersionRef(ref)} has no file ${JSON.stringify(path)}.` });
  if (file.size > max_text_bytes) return { ...fileRecord(file), text: null, no_text: 'too_large' };
  const bytes = await contents.blob(db, file.sha256);
  if (bytes === undefined) throw new Error(`the content of ${path} is gone`);
  const text = textOf(bytes);
  return { ...fileRecord(file), text: text ?? null, no_text: text === undefined ? 'binary' : null };
}

function fileRecord({ path, size, sha256 }: Content['manifest'][number]) {
  return { path, bytes: size, sha256 };
}
