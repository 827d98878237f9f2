import type { LabelMoved, PromptLabel } from '@gantry/contract/agents/prompts.ts';
import type { Page } from '@gantry/contract/endpoint.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import type { Reader } from '../../ground/database/database.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import type { AssetRecord } from '../../assets/registry/find.ts';
import { loadAsset } from '../../assets/registry/load-asset.ts';
import { labelsOf, movesOf } from '../../assets/registry/prompts/labels.ts';
import { printLabel } from './print-label.ts';

/** The labels of a prompt, and the version that each means. */
export async function listLabels(db: Reader, caller: Caller, name: string): Promise<PromptLabel[]> {
  const asset = await readable(db, caller, name);
  return (await labelsOf(db, asset.id)).map(printLabel);
}

interface Asked {
  name: string;
  label?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** The newest first. */
export async function listMoves(
  { db, cursors }: { db: Reader; cursors: Cursors },
  caller: Caller,
  { name, label, limit, cursor }: Asked,
): Promise<Page<LabelMoved>> {
  const asset = await readable(db, caller, name);
  const scope = ['label_moves', asset.id, label ?? null, signedIn(caller).id];
  const key = cursors.read(cursor, scope) as [string, string] | undefined; // as sealed below
  const after = key && { moved_at: key[0], label: key[1] };
  const rows = await movesOf(db, { asset_id: asset.id, label, after, limit: limit + 1 });
  return cursors.page(
    rows,
    limit,
    scope,
    (row) => [row.moved_at, row.label],
    (row) => ({ ...printLabel(row), from_version: row.from_version }),
  );
}

async function readable(db: Reader, caller: Caller, name: string): Promise<AssetRecord> {
  const asset = await loadAsset(db, { kind: 'prompt', name }, caller);
  authorize(signedIn(caller), 'asset.read', asset);
  return asset;
}
