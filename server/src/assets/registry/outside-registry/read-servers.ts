// Servers of another MCP registry, for a person who may make one in the team. Nothing is stored: what is read becomes a server by `registry.create`.
import { registryEntry, registryPage } from '@gantry/project/mcp-registry/server-json.ts';
import { waysOfServer } from '@gantry/project/mcp-registry/ways-of-server.ts';
import type { RegisteredServer, RegisteredServers } from '@gantry/contract/assets/outside-registry.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { Outbound } from '../../../ground/outbound/outbound.ts';
import { settings } from '../../../people/principals/find.ts';
import { loadTeam } from '../../../people/principals/load-team.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { askRegistry, unreadable, type Registry } from './ask-registry.ts';

export interface OutsideRegistryParts {
  db: Reader;
  outbound: Outbound;
  /** The values of a team's secrets. */
  readCredentials: (db: Reader, team_id: string, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

interface Wish {
  team: string;
  from?: string | undefined;
  secret?: string | undefined;
  signal: AbortSignal;
}

/** Throws `registry_unset` or `registry_unreadable`. */
export async function readOutsideServer(
  parts: OutsideRegistryParts,
  caller: Caller,
  { server: name, version, ...wish }: Wish & { server: string; version: string },
): Promise<RegisteredServer> {
  const registry = await registryFor(parts, caller, wish);
  const path = `${root}/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
  const asked = { outbound: parts.outbound, registry, path, schema: registryEntry, signal: wish.signal };
  const { server } = await askRegistry(asked);
  if (server.name !== name) throw unreadable(registry, 'It answers about another server than the one asked for.');
  if (version !== 'latest' && server.version !== version)
    throw unreadable(registry, 'It answers about another version than the one asked for.');
  return { ...described(server), registry: registry.address, ways: waysOfServer(server) };
}

/** Throws `registry_unset` or `registry_unreadable`. */
export async function searchOutsideServers(
  parts: OutsideRegistryParts,
  caller: Caller,
  { words, ...wish }: Wish & { words: string },
): Promise<RegisteredServers> {
  const registry = await registryFor(parts, caller, wish);
  const query = new URLSearchParams({ search: words, version: 'latest', limit: String(most_listed) });
  const path = `${root}?${query.toString()}`;
  const asked = { outbound: parts.outbound, registry, path, schema: registryPage, signal: wish.signal };
  const { servers, metadata } = await askRegistry(asked);
  return {
    registry: registry.address,
    servers: servers.map(({ server }) => described(server)),
    has_more: typeof metadata?.nextCursor === 'string' && metadata.nextCursor !== '',
  };
}

const root = '/v0.1/servers';
/** Entries of a registry are long, and its answer is bounded. */
const most_listed = 20;

async function registryFor(
  { db, readCredentials }: OutsideRegistryParts,
  caller: Caller,
  { team: named, from, secret }: Wish,
): Promise<Registry> {
  const team = await loadTeam(db, named);
  authorize(signedIn(caller), 'asset.create', team);
  const address = (from ?? (await settings(db)).mcp_registry)?.replace(/\/$/, '');
  if (address === undefined) throw new Problem('registry_unset');
  if (secret === undefined) return { address, token: undefined };
  const token = (await readCredentials(db, team.id, [secret])).get(secret);
  if (token === undefined || token === '')
    throw new Problem('registry_unreadable', {
      detail: `The secret ${secret} of team ${team.name} is not set.`,
      hint: `A team admin sets it: svc secret set ${secret} --team ${team.name}`,
    });
  return { address, token };
}

interface Described {
  name: string;
  version: string;
  title?: string | null | undefined;
  description: string;
}

const described = ({ name, version, title, description }: Described) => {
  return { name, version, title: title ?? name, description };
};
