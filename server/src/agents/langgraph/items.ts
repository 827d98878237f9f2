// The store of an agent for the caller, as its own runs have it. Nothing here wakes the agent.
import type { StoredItem } from '@gantry/contract/agents/memory.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { jsonReply, type Reply } from '../../governance/http/answer/reply.ts';
import { itemsOfCaller } from '../memory/items/items.ts';
import type { MemoryParts } from '../memory/parts.ts';
import { ownAgent } from '../memory/threads/own-agent.ts';
import type { Json } from './json.ts';

interface Asked {
  caller: Caller;
  name: string;
}

interface Address {
  namespace: string[];
  key: string;
}

export async function putItem(
  parts: MemoryParts,
  {
    namespace,
    key,
    value,
    index,
    ttl,
    ...asked
  }: Asked & Address & { value: Json; index?: false | string[] | null | undefined; ttl?: number | null | undefined },
): Promise<void> {
  await carryOut(parts, asked, { op: 'put', namespace, key, value, index: index ?? null, ttl_minutes: ttl ?? null });
}

/** Null for one that is not there. */
export async function getItem(parts: MemoryParts, { namespace, key, ...asked }: Asked & Address): Promise<Reply> {
  return jsonReply(await carryOut(parts, asked, { op: 'get', namespace, key }));
}

export async function deleteItem(parts: MemoryParts, { namespace, key, ...asked }: Asked & Address): Promise<void> {
  await carryOut(parts, asked, { op: 'put', namespace, key, value: null, index: null, ttl_minutes: null });
}

export async function searchItems(
  parts: MemoryParts,
  {
    namespace_prefix: prefix,
    query,
    filter,
    limit,
    offset,
    ...asked
  }: Asked & {
    namespace_prefix: string[];
    query?: string | null | undefined;
    filter?: Json | null | undefined;
    limit: number;
    offset: number;
  },
): Promise<Reply> {
  const op = { op: 'search', prefix, query: query ?? null, filter: filter ?? null, limit, offset } as const;
  return jsonReply({ items: (await carryOut(parts, asked, op)) as StoredItem[] });
}

export async function listNamespaces(
  parts: MemoryParts,
  {
    prefix,
    suffix,
    max_depth,
    limit,
    offset,
    ...asked
  }: Asked & {
    prefix?: string[] | null | undefined;
    suffix?: string[] | null | undefined;
    max_depth?: number | null | undefined;
    limit: number;
    offset: number;
  },
): Promise<Reply> {
  const match = [
    ...(prefix ? [{ type: 'prefix', path: prefix } as const] : []),
    ...(suffix ? [{ type: 'suffix', path: suffix } as const] : []),
  ];
  const op = { op: 'list_namespaces', match, max_depth: max_depth ?? null, limit, offset } as const;
  return jsonReply({ namespaces: await carryOut(parts, asked, op) });
}

async function carryOut(parts: MemoryParts, { caller, name }: Asked, op: Parameters<typeof itemsOfCaller>[2][number]) {
  const { agent, owner_id } = await ownAgent(parts.db, caller, name);
  const [result] = await itemsOfCaller(parts, { agent, owner_id }, [op]);
  return result ?? null;
}
