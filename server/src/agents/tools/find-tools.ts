// Which tools an agent may call now: the servers that its agent.yaml names, those of them that it may use, and what is pinned of them.
import { parseAssetConfig } from '@gantry/project/asset-config.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printRef, printVersionRef } from '@gantry/contract/refs.ts';
import { authorize, Refusal } from '../../governance/access/authorize.ts';
import type { AgentCaller, SignedInCaller } from '../../governance/access/caller.ts';
import { decideUse, type CallingAsset } from '../../governance/access/decide.ts';
import type { Reader } from '../../ground/database/database.ts';
import { findAssetsCalledBy, type AssetRecord } from '../../assets/registry/find.ts';
import {
  callableTools,
  pinnedTools,
  serversOfAgent,
  type ServerOfAgent,
} from '../../assets/registry/tool-lists/pinned-servers.ts';
import { loadServer } from '../../assets/registry/tool-lists/server-tools.ts';
import type { ListedTool } from '../../assets/registry/tool-lists/tool-list.ts';
import type { ServerConfig, Upstream } from './upstream/connect.ts';

export interface UsableServer {
  asset: AssetRecord;
  server: ServerOfAgent;
  upstream: Upstream;
  tools: ListedTool[];
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

/** What a person may call: all that is pinned of its newest version, with `use` on the server. Throws `not_found` and the refusal. */
export async function serverFor(db: Reader, caller: SignedInCaller, name: string): Promise<UsableServer> {
  const { asset, version, config } = await loadServer(db, caller, { name });
  authorize(caller, 'asset.invoke', asset);
  const ref = printVersionRef({ kind: 'mcp-server', name, version });
  const server = { name, ref, asset_id: asset.id, version, config, pushed: undefined, isLeft: () => true, policy: {} };
  const { id: team_id, name: team } = asset.team;
  const upstream = { ref: asset.ref, team_id, team, config: readServer(config) };
  return { asset, server, upstream, tools: await pinnedTools(db, server) };
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
  return { asset, server, upstream, tools: await callableTools(db, server) };
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
