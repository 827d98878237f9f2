// Work on a server, wherever it runs. The connection or the program outlives the work, so its opening does not end with it.
import type { ToolCaller } from '../admit-call.ts';
import type { UsableServer } from '../find-tools.ts';
import type { ToolParts } from '../parts.ts';
import { connect, type ServerConnection } from './connect.ts';
import { credentialOf, type Behalf } from './credential.ts';

interface OnServer {
  usable: UsableServer;
  caller: ToolCaller;
  behalf: Behalf;
  signal: AbortSignal;
}

const connect_ms = 60_000;

/** On what is open for this end caller of this agent, else on a new one. Throws what opening throws, and what `work` does. */
export async function onServer<T>(
  parts: ToolParts,
  { usable: { server, upstream, image }, caller, behalf, signal }: OnServer,
  work: (connection: ServerConnection) => Promise<T>,
): Promise<T> {
  const { asset_id, version } = server;
  const { user, through } = behalf;
  const agent = caller.kind === 'agent' ? caller : undefined;
  if (image !== undefined) {
    const by = { agent_id: agent?.id ?? '', revision_id: agent?.revision_id ?? '', caller_id: user.id };
    return await parts.hosting.use({ server: { asset_id, version, upstream }, image, by, work, signal });
  }
  const credential = credentialOf(parts, upstream, behalf);
  const of = { server_id: asset_id, version, agent_id: agent?.id ?? null, caller_id: user.id, through };
  const open = async () => await connect(parts, { upstream, credential, signal: AbortSignal.timeout(connect_ms) });
  return await parts.connections.use(of, open, work);
}
