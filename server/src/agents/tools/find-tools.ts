// Which tools an agent may call now: the servers that its agent.yaml names, those of them that it may use, and what is pinned of them.
import { parseAssetConfig } from '@gantry/project/asset-config.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printRef } from '@gantry/contract/refs.ts';
import { Refusal } from '../../governance/access/authorize.ts';
import type { AgentCaller } from '../../governance/access/caller.ts';
import { decideUse, type CallingAsset } from '../../governance/access/decide.ts';
import type { Reader } from '../../ground/database/database.ts';
import { findAssetsCalledBy, type AssetRecord } from '../../assets/registry/find.ts';
import { pinnedImage, type ImageRef } from '../../assets/registry/tool-lists/hosted-images.ts';
import { callableTools, serversOfAgent, type ServerOfAgent } from '../../assets/registry/tool-lists/pinned-servers.ts';
import type { ListedTool } from '../../assets/registry/tool-lists/tool-list.ts';
import type { ServerConfig, Upstream } from './upstream/connect.ts';

export interface UsableServer {
  server: ServerOfAgent;
  upstream: Upstream;
  tools: ListedTool[];
  /** What a hosted server runs: the image of the pinned list. */
  image: ImageRef | undefined;
}

/** Those that the agent may use, in the order of their names. */
export async function usableServers(db: Reader, caller: AgentCaller): Promise<UsableServer[]> {
  const servers = await serversOfAgent(db, caller.version_id);
  const assets = await assetsOf(db, caller, servers);
  const usable = servers.flatMap((server) => {
    const asset = assets.get(server.asset_id);
    return asset !== undefined && decideUse(callingAsset(caller), asset).allowed ? [{ server, asset }] : [];
  });
  return await Promise.all(usable.map(async (one) => await withTools(db, one)));
}

/** Throws `not_found` for a server that the agent's version does not name, and the refusal. */
export async function usableServer(db: Reader, caller: AgentCaller, name: string): Promise<UsableServer> {
  const server = (await serversOfAgent(db, caller.version_id)).find((one) => one.name === name);
  const asset = server && (await assetsOf(db, caller, [server])).get(server.asset_id);
  if (server === undefined || asset === undefined)
    throw new Problem('not_found', {
      detail: `${printRef({ kind: 'mcp-server', name })} is not among the mcp_servers of ${caller.label}.`,
      hint: 'Name it under `mcp_servers` of its agent.yaml, and deploy that.',
    });
  const decision = decideUse(callingAsset(caller), asset);
  if (!decision.allowed) throw new Refusal(decision, 'asset.invoke', asset);
  return await withTools(db, { server, asset });
}

function callingAsset({ id, label, name, team }: AgentCaller): CallingAsset {
  return { kind: 'agent', id, ref: label, name, team };
}

async function assetsOf(
  db: Reader,
  { id }: AgentCaller,
  servers: readonly ServerOfAgent[],
): Promise<Map<string, AssetRecord>> {
  const ids = servers.map(({ asset_id }) => asset_id);
  return new Map((await findAssetsCalledBy(db, ids, { id })).map((asset) => [asset.id, asset]));
}

async function withTools(
  db: Reader,
  { server, asset }: { server: ServerOfAgent; asset: AssetRecord },
): Promise<UsableServer> {
  const { id: team_id, name: team } = asset.team;
  const upstream = { ref: asset.ref, team_id, team, config: readServer(server.config) };
  const image = upstream.config.package === undefined ? undefined : await pinnedImage(db, server);
  return { server, upstream, tools: await callableTools(db, server), image };
}

const read = new WeakMap<Record<string, unknown>, ServerConfig>();

/** Throws `not_callable` for a config that was stored under looser rules. */
export function readServer(stored: Record<string, unknown>): ServerConfig {
  const known = read.get(stored) ?? parse(stored);
  read.set(stored, known);
  return known;
}

function parse(stored: Record<string, unknown>): ServerConfig {
  const { config, findings } = parseAssetConfig('mcp-server', JSON.stringify(stored), 'config');
  if (config !== undefined) return config;
  throw new Problem('not_callable', { detail: findings.map(({ message }) => message).join('. ') });
}
