// Assets that have a config and no files: tools, knowledge bases, MCP servers. Each of their versions is final from the start, because
// nothing approves them; a change is a new version.
import { Problem } from '@gantry/contract/problems.ts';
import { printRef } from '@gantry/contract/refs.ts';
import type { AssetKind, Visibility } from '@gantry/contract/roles.ts';
import { defaultEntriesFor, writeEntries } from '../access/acl.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { change, type GovernedTx } from '../access/change.ts';
import type { TeamSubject } from '../access/subject.ts';
import { errorCode, unique_violation, type Database } from '../database/database.ts';
import { findTeam } from '../principals/find.ts';
import { signedIn } from '../principals/signed-in.ts';
import { searchWords } from './asset.ts';
import { configOnly, contentDigest, sourceDigest } from './content.ts';
import * as contents from './content-store.ts';
import * as store from './store.ts';

export interface NewSimpleAsset {
  name: string;
  team: string;
  version: string;
  description: string;
  tags: string[];
  visibility: Visibility;
  config: Record<string, unknown>;
}

export async function create(db: Database, caller: Caller, kind: AssetKind, made: NewSimpleAsset): Promise<void> {
  const user = signedIn(caller);
  const row = await findTeam(db, made.team);
  if (row === undefined) throw new Problem('not_found');
  const team: TeamSubject = { kind: 'team', id: row.id, name: row.name };
  const ref = printRef({ kind, name: made.name });
  const grant = authorize(user, 'asset.create', { ...team, creating: ref });
  await change(db, grant, 'asset.created', async (tx, note) => {
    const { name, description, tags, visibility } = made;
    const search = searchWords({ name, team: team.name, description, tags, framework: null });
    const asset_id = await store.insertAsset(tx, {
      kind,
      name,
      team_id: team.id,
      owner_id: user.id,
      description,
      tags,
      framework: null,
      visibility,
      search,
    });
    await writeEntries(tx, asset_id, defaultEntriesFor(user.id, team.id, visibility));
    const digest = await putFinal(tx, { asset_id, version: made.version, config: made.config, pushed_by: user.id });
    note({ version: made.version, digest, visibility }, { asset: ref });
  }).catch((error: unknown) => {
    if (errorCode(error) === unique_violation) throw new Problem('exists', { detail: `The name ${ref} is taken.` });
    throw error;
  });
}

/** A final version of a config alone; undefined when there is one of that name already. */
export async function putFinal(
  tx: GovernedTx,
  { config, ...version }: { asset_id: string; version: string; config: Record<string, unknown>; pushed_by: string },
): Promise<string | undefined> {
  const content = configOnly(config);
  const digest = contentDigest(content);
  await contents.insertContent(tx, { ...content, digest, source: sourceDigest(content) });
  const id = await store.putVersion(tx, { ...version, digest, state: 'final', message: '' });
  return id && digest;
}
