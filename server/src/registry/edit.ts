import { Problem } from '@gantry/contract/problems.ts';
import type { AssetKind } from '@gantry/contract/roles.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import type { Database } from '../database/database.ts';
import { signedIn } from '../principals/signed-in.ts';
import { searchWords } from './asset.ts';
import { configOnly, contentDigest } from './content.ts';
import { putFinal } from './create.ts';
import { findAsset, findVersion } from './find.ts';
import * as store from './store.ts';
import { versionFinal } from './version-final.ts';

export interface Edit {
  version: string;
  description?: string | undefined;
  tags?: string[] | undefined;
  config: Record<string, unknown>;
}

/** Gives a tool, a knowledge base or an MCP server a new version. The same config under the version it has changes its description at most. */
export async function edit(
  db: Database,
  caller: Caller,
  ref: { kind: AssetKind; name: string },
  edited: Edit,
): Promise<void> {
  const user = signedIn(caller);
  const asset = await findAsset(db, ref.kind, ref.name);
  if (asset === undefined) throw new Problem('not_found');
  const grant = authorize(user, 'asset.write', asset);
  const { version, config } = edited;
  const digest = contentDigest(configOnly(config));
  const description = edited.description ?? asset.description;
  const tags = edited.tags ?? asset.tags;
  await change(db, grant, 'asset.changed', async (tx, note) => {
    const before = await findVersion(tx, asset.id, version);
    if (before !== undefined && before.digest !== digest) throw versionFinal({ ...ref, version });
    if (
      before === undefined &&
      (await putFinal(tx, { asset_id: asset.id, version, config, pushed_by: user.id })) === undefined
    )
      throw versionFinal({ ...ref, version });
    const search = searchWords({ name: asset.name, team: asset.team.name, description, tags, framework: null });
    const { visibility } = (await store.lockAsset(tx, asset.id)) ?? asset;
    await store.updateAsset(tx, asset.id, { description, tags, framework: null, visibility, search });
    note({
      version,
      digest,
      before: { description: asset.description, tags: asset.tags },
      after: { description, tags },
    });
  });
}
