// Asks an MCP server for its tools, for a person who wants to pin them. The list is stored: only a list that the service has read can be pinned.
import type { ServerTools } from '@gantry/contract/assets/tools.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { loadServer, serverTools, type NamedServer } from '../../assets/registry/tool-lists/server-tools.ts';
import { noteList } from '../../assets/registry/tool-lists/note-list.ts';
import type { ToolParts } from './parts.ts';
import { readServer } from './find-tools.ts';
import { connect } from './upstream/connect.ts';

/** Throws the refusal, `not_callable` or `server_unavailable`. */
export async function lookAtTools(
  parts: ToolParts,
  { caller, signal, ...named }: NamedServer & { caller: Caller; signal: AbortSignal },
): Promise<ServerTools> {
  const server = await loadServer(parts.db, caller, named);
  const { asset, version, config } = server;
  authorize(caller, 'tools.pin', asset);
  const { id: team_id, name: team } = asset.team;
  const connection = await connect(parts, { ref: asset.ref, team_id, team, config: readServer(config) }, signal);
  try {
    await noteList(parts.db, { asset_id: asset.id, version }, await connection.list(0));
  } finally {
    await connection.close();
  }
  return await serverTools(parts.db, server);
}
