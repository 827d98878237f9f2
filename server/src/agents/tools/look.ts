// Asks an MCP server for its tools, for a person who wants to pin them. The list is stored: only a list that the service has read can be pinned.
import type { ServerTools } from '@gantry/contract/assets/tools.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { loadServer, serverTools, type NamedServer } from '../../assets/registry/tool-lists/server-tools.ts';
import { noteList } from '../../assets/registry/tool-lists/note-list.ts';
import type { ToolParts } from './parts.ts';
import { readServer } from '../../assets/registry/tool-lists/server-config.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { countContainers } from './hosted/count-containers.ts';
import { packageOf, type HostedServer } from './hosted/hosting.ts';
import { credentialOf } from './upstream/credential.ts';
import { connect, type ServerConnection } from './upstream/connect.ts';

/** Throws the refusal, `not_callable` or `server_unavailable`. */
export async function lookAtTools(
  parts: ToolParts,
  { caller, signal, ...named }: NamedServer & { caller: Caller; signal: AbortSignal },
): Promise<ServerTools> {
  const server = await loadServer(parts.db, caller, named);
  const { asset, version, config } = server;
  authorize(caller, 'tools.pin', asset);
  const upstream = { ref: asset.ref, asset, version, config: readServer(config) };
  const of = { asset_id: asset.id, version };
  if (upstream.config.transport === 'stdio') await lookAtHosted(parts, { ...of, upstream }, signal);
  else await lookAtAddress(parts, { ...of, upstream }, { caller, signal });
  return await serverTools({ db: parts.db, countContainers }, server);
}

async function lookAtAddress(
  parts: ToolParts,
  { upstream, ...of }: HostedServer,
  { caller, signal }: { caller: Caller; signal: AbortSignal },
): Promise<void> {
  // They look for themselves, so their own credential needs no consent.
  const credential = credentialOf(parts, upstream, { user: signedIn(caller), through: [] });
  const connection = await connect(parts, { upstream, credential, signal });
  try {
    await noteList(parts.db, of, await connection.list(0));
  } finally {
    await connection.close();
  }
}

/** Its package is locked and installed first. The program of the image gives the list. */
async function lookAtHosted({ db, hosting }: ToolParts, server: HostedServer, signal: AbortSignal): Promise<void> {
  packageOf(server.upstream);
  const image = await hosting.imageOf(server, signal);
  const work = async (on: ServerConnection) => await on.list(0);
  const list = await hosting.use({ server, image, by: undefined, work, signal });
  await noteList(db, server, { ...list, image_id: image.id });
}
