import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../../ground/database/database.ts';
import { findAssetById, type AssetRecord } from '../../assets/registry/find.ts';
import { readServer, type ServerConfig } from '../../assets/registry/tool-lists/server-config.ts';
import { loadVersion } from '../../assets/registry/versions/load-version.ts';

/** A version of a server that is called with the credential of the end caller. */
export interface ServerAsUser {
  asset: AssetRecord;
  version: string;
  /** A credential goes to this address alone. */
  address: string;
  oauth: ServerConfig['oauth'];
}

/** Throws `not_callable` for another kind of server. */
export async function serverAsUser(db: Reader, asset: AssetRecord, version = 'latest'): Promise<ServerAsUser> {
  const { row, content } = await loadVersion(db, asset, version);
  const { as, url, oauth } = readServer(content.config);
  if (as !== 'user' || url === undefined)
    throw new Problem('not_callable', {
      detail: `${asset.ref}@${row.version} is not called with credentials of people.`,
      hint: 'Its owner can change that: `as: user` in its config, and an address.',
    });
  return { asset, version: row.version, address: url, oauth };
}

/** Whoever has an ask for it may know the server, so nothing is decided here. Throws `not_found` or `not_callable`. */
export async function askedServer(
  db: Reader,
  { server_id, server_version }: { server_id: string; server_version: string },
): Promise<ServerAsUser> {
  const asset = await findAssetById(db, server_id, null);
  if (asset === undefined) throw new Problem('not_found');
  return await serverAsUser(db, asset, server_version);
}
