// The store of an agent for the caller, as its own runs have it. Nothing here wakes the agent.
import type { ItemOp, ItemResult } from '@gantry/contract/agents/memory.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { jsonReply, type Reply } from '../../governance/http/answer/reply.ts';
import { itemsOfCaller } from '../memory/items/items.ts';
import { ownAgent } from '../memory/threads/own-agent.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import type { Json } from './json.ts';
import type { RunParts } from './runs/begin-run.ts';

interface Asked {
  caller: Caller;
  name: string;
  signal: AbortSignal;
  trace: TraceContext;
}

interface Address {
  namespace: string[];
  key: string;
}

export async function putItem(
  parts: RunParts,
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
export async function getItem(parts: RunParts, { namespace, key, ...asked }: Asked & Address): Promise<Reply> {
  return jsonReply((await carryOut(parts, asked, { op: 'get', namespace, key })).result);
}

export async function deleteItem(parts: RunParts, { namespace, key, ...asked }: Asked & Address): Promise<void> {
  await carryOut(parts, asked, { op: 'put', namespace, key, value: null, index: null, ttl_minutes: null });
}

export async function searchItems(
  parts: RunParts,
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
  const { result, notices } = await carryOut(parts, asked, op);
  return jsonReply({ items: result, ...(notices.length > 0 && { notices }) });
}

export async function listNamespaces(
  parts: RunParts,
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
  return jsonReply({ namespaces: (await carryOut(parts, asked, op)).result });
}

async function carryOut(
  { db, envelope, ingress }: RunParts,
  { caller, name, signal, trace }: Asked,
  op: ItemOp,
): Promise<{ result: ItemResult; notices: string[] }> {
  const { agent, owner_id } = await ownAgent(db, caller, name);
  const parts = { db, envelope, models: ingress.models };
  const request = { origin: caller.origin, signal, trace };
  const { results, notices } = await itemsOfCaller(parts, { agent, owner_id, ops: [op] }, request);
  return { result: results[0] ?? null, notices };
}
