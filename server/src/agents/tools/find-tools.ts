// Which tools an agent may call now: the servers that its agent.yaml names, those of them that it may use, and what is pinned of them.
import { knowledge_server, registry_server, reserved_servers } from '@gantry/contract/assets/tools.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printRef, printVersionRef } from '@gantry/contract/refs.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { AgentCaller, SignedInCaller } from '../../governance/access/caller.ts';
import type { Reader } from '../../ground/database/database.ts';
import type { AssetRecord } from '../../assets/registry/find.ts';
import { pinnedImage, type ImageRef } from '../../assets/registry/tool-lists/hosted-images.ts';
import {
  callableTools,
  pinnedTools,
  serversOfAgent,
  type ServerOfAgent,
} from '../../assets/registry/tool-lists/pinned-servers.ts';
import { loadServer } from '../../assets/registry/tool-lists/server-tools.ts';
import type { ListedTool } from '../../assets/registry/tool-lists/tool-list.ts';
import { readServer } from '../../assets/registry/tool-lists/server-config.ts';
import { requireUse, usableAmong } from '../delegated-calls/may-use.ts';
import type { HttpTool } from './registry/build-request.ts';
import { usableTool, usableTools } from './registry/registry-tools.ts';
import { usableSearch, usableSearches } from './searches/search-tools.ts';
import type { Upstream } from './upstream/connect.ts';

export interface UsableServer {
  server: ServerOfAgent;
  upstream: Upstream;
  tools: ListedTool[];
  /** What a hosted server runs: the image of the pinned list. */
  image?: ImageRef | undefined;
  /** No server is asked: the service calls the address of a tool of the registry, or searches a knowledge base or a RAG index. */
  own?: { http: HttpTool } | { search: AssetRecord };
}

/** Those that the agent may use, in the order of their names, and what the service itself serves, each as a server with one tool. */
async function usableServers(db: Reader, caller: AgentCaller): Promise<UsableServer[]> {
  const servers = (await serversOfAgent(db, caller.version_id)).filter(
    ({ name }) => !Object.hasOwn(reserved_servers, name),
  );
  const usable = await usableAmong(db, caller, servers);
  const found = await Promise.all(usable.map(async ({ of: server, asset }) => await withTools(db, { server, asset })));
  return [...found, ...(await usableTools(db, caller)), ...(await usableSearches(db, caller))];
}

/** All of them, or the only one; for what the service itself serves, each of its tools. Throws as `usableServer` does. */
export async function usableFor(
  db: Reader,
  { caller, server: name }: { caller: AgentCaller; server?: string },
): Promise<UsableServer[]> {
  if (name === undefined) return await usableServers(db, caller);
  if (name === registry_server) return await usableTools(db, caller);
  if (name === knowledge_server) return await usableSearches(db, caller);
  return [await usableServer(db, caller, name)];
}

/** The server of this tool. Throws `not_found` for a server that the agent's version does not name, and the refusal. */
export async function serverOfTool(
  db: Reader,
  caller: AgentCaller,
  { server, tool }: { server: string; tool: string },
): Promise<UsableServer> {
  if (server === registry_server) return await usableTool(db, caller, tool);
  if (server === knowledge_server) return await usableSearch(db, caller, tool);
  return await usableServer(db, caller, server);
}

async function usableServer(db: Reader, caller: AgentCaller, name: string): Promise<UsableServer> {
  const server = (await serversOfAgent(db, caller.version_id)).find((one) => one.name === name);
  const asset = server && (await requireUse(db, caller, server));
  if (server === undefined || asset === undefined)
    throw new Problem('not_found', {
      detail: `${printRef({ kind: 'mcp-server', name })} is not among the mcp_servers of ${caller.label}.`,
      hint: 'Name it under `mcp_servers` of its agent.yaml, and deploy that.',
    });
  return await withTools(db, { server, asset });
}

/** What a person may call: all that is pinned of its newest version, with `use` on the server. Throws `not_found` and the refusal. */
export async function serverFor(db: Reader, caller: SignedInCaller, name: string): Promise<UsableServer> {
  const { asset, version, config } = await loadServer(db, caller, { name });
  authorize(caller, 'asset.invoke', asset);
  const ref = printVersionRef({ kind: 'mcp-server', name, version });
  const server: ServerOfAgent = {
    name,
    ref,
    asset_id: asset.id,
    version,
    config,
    pushed: undefined,
    pushed_prompts: new Set(),
    reads_resources: false,
    isLeft: () => true,
    policy: {},
  };
  return { ...(await withImage(db, asset, server)), tools: await pinnedTools(db, server) };
}

async function withTools(
  db: Reader,
  { server, asset }: { server: ServerOfAgent; asset: AssetRecord },
): Promise<UsableServer> {
  return { ...(await withImage(db, asset, server)), tools: await callableTools(db, server) };
}

async function withImage(
  db: Reader,
  asset: AssetRecord,
  server: ServerOfAgent,
): Promise<Pick<UsableServer, 'server' | 'upstream' | 'image'>> {
  const { version, config } = server;
  const upstream: Upstream = { ref: asset.ref, asset, version, config: readServer(config) };
  const image = upstream.config.package === undefined ? undefined : await pinnedImage(db, server);
  return { server, upstream, image };
}
