// Asks an MCP server for its tools, for a person who wants to pin them. The list is stored: only a list that the service has read can be pinned.
import type { ServerTools } from '@gantry/contract/assets/tools.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { loadServer, serverTools, type NamedServer } from '../../assets/registry/tool-lists/server-tools.ts';
import { noteList } from '../../assets/registry/tool-lists/note-list.ts';
import type { ToolParts } from './parts.ts';
import { readServer } from '../../assets/registry/tool-lists/server-config.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { credentialOf } from './upstream/credential.ts';
import { connect } from './upstream/connect.ts';

/** Throws the refusal, `not_callable` or `server_unavailable`. */
export async function lookAtTools(
  parts: ToolParts,
  { caller, signal, ...named }: NamedServer & { caller: Caller; signal: AbortSignal },
): Promise<ServerTools> {
  const server = await loadServer(parts.db, caller, named);
  const { asset, version, config } = server;
  authorize(caller, 'tools.pin', asset);
  const upstream = { ref: asset.ref, asset, version, config: readServer(config) };
  // They look for themselves, so their own credential needs no consent.
  const credential = credentialOf(parts, upstream, { user: signedIn(caller), through: [] });
  const connection = await connect(parts, { upstream, credential, signal });
  try {
    await noteList(parts.db, { asset_id: asset.id, version }, await connection.list(0));
  } finally {
    await connection.close();
  }
  return await serverTools(parts.db, server);
}
