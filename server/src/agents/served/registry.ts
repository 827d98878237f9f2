// The registry API of the Model Context Protocol, for clients that look for servers: those of the registry, and deployed agents. A reader gets what the
// registry shows to them, with the address of this service, where each call is checked.
import { server_schema, type RegistryEntry, type RegistryList } from '@gantry/contract/assets/mcp-registry.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Asset } from '@gantry/contract/assets/registry.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import type { Database } from '../../ground/database/database.ts';
import { search } from '../../assets/registry/assets/list.ts';
import { loadAsset } from '../../assets/registry/load-asset.ts';
import { loadServer } from '../../assets/registry/tool-lists/server-tools.ts';
import { versionAtAddress } from '../deploy/serving/running-version.ts';

export interface RegistryParts {
  db: Database;
  cursors: Cursors;
  base_url: () => string;
}

interface ListQuery {
  limit: number;
  cursor?: string | undefined;
  search?: string | undefined;
  updated_since?: string | undefined;
}

/** The servers come first, then the agents. */
const kinds = ['mcp-server', 'agent'] as const;
type Kind = (typeof kinds)[number];
const folders = { 'mcp-server': 'mcp-servers', agent: 'agents' } as const satisfies Record<Kind, string>;

/** A page can have fewer servers than its limit. Throws `bad_cursor`. */
export async function listServers(
  parts: RegistryParts,
  caller: Caller,
  { limit, cursor, search: q, updated_since }: ListQuery,
): Promise<RegistryList> {
  const [, of = kinds[0], at = ''] = /^([a-z-]+)\.(.*)$/.exec(cursor ?? `${kinds[0]}.`) ?? [];
  const kind = kinds.find((one) => one === of);
  if (kind === undefined) throw new Problem('bad_cursor');
  const query = { kind, q, limit, cursor: at === '' ? undefined : at };
  const { items, next_cursor } = await search(parts.db, parts.cursors, caller, query);
  const isWanted = ({ updated_at }: Asset) =>
    updated_since === undefined || Date.parse(updated_at) >= Date.parse(updated_since);
  const servers = items.filter(isWanted).flatMap((asset) => {
    const served = kind === 'agent' ? asset.serving_version : asset.latest_version;
    return served === null ? [] : [entryOf(parts, kind, { ...asset, version: served })];
  });
  const following = next_cursor !== undefined ? `${kind}.${next_cursor}` : kind === 'agent' ? undefined : 'agent.';
  return {
    servers,
    metadata: { count: servers.length, ...(following !== undefined && { nextCursor: following }) },
  };
}

export interface NamedEntry {
  namespace: string;
  name: string;
  /** Undefined: the one that is served. */
  version?: string;
}

/** Throws `not_found`, also for another version than the served one. */
export async function findServer(
  parts: RegistryParts,
  caller: Caller,
  { namespace, name, version = 'latest' }: NamedEntry,
): Promise<RegistryEntry> {
  const kind = kinds.find((one) => namespaceOf(parts, one) === namespace);
  if (kind === undefined) throw new Problem('not_found');
  const asset = await loadAsset(parts.db, { kind, name }, caller);
  authorize(caller, 'asset.read', asset);
  const served =
    kind === 'agent'
      ? await versionAtAddress(parts.db, asset.id)
      : (await loadServer(parts.db, caller, { name })).version;
  if (served === undefined || (version !== 'latest' && version !== served)) throw new Problem('not_found');
  return entryOf(parts, kind, { ...asset, version: served });
}

const longest_description = 100;

const sign_in = {
  name: 'Authorization',
  description: 'A token of `svc token`, or a key that may call it',
  value: 'Bearer {token}',
  isRequired: true,
  isSecret: true,
} as const;

interface ServedAsset extends Pick<Asset, 'name' | 'description' | 'created_at' | 'updated_at'> {
  version: string;
}

function entryOf(
  parts: RegistryParts,
  kind: Kind,
  { name, description, version, created_at, updated_at }: ServedAsset,
): RegistryEntry {
  const path = kind === 'agent' ? `agents/${name}/mcp` : `mcp/${name}`;
  const about = description === '' ? name : description;
  return {
    server: {
      $schema: server_schema,
      name: `${namespaceOf(parts, kind)}/${name}`,
      title: name,
      description: about.length > longest_description ? `${about.slice(0, longest_description - 1)}…` : about,
      version,
      remotes: [{ type: 'streamable-http', url: `${parts.base_url()}/${path}`, headers: [sign_in] }],
    },
    _meta: {
      'io.modelcontextprotocol.registry/official': {
        status: 'active',
        publishedAt: created_at,
        updatedAt: updated_at,
        isLatest: true,
      },
    },
  };
}

/** As names of packages: the host of the service from its end, then the kind. */
function namespaceOf({ base_url }: Pick<RegistryParts, 'base_url'>, kind: Kind): string {
  const host = new URL(base_url()).hostname.replaceAll(/[^a-z0-9.-]/g, '');
  return [...host.split('.').toReversed(), folders[kind]].join('.');
}
