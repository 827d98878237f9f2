// The store of the agent for the caller.
import { z } from 'zod';
import type { Endpoint } from '../../endpoint.ts';
import { members, ofAgent, root } from './of-agent.ts';

const namespace = z.array(z.string().min(1).max(500)).max(32);
const key = z.string().min(1).max(1000);
const page = { limit: z.int().min(1).max(1000).default(10), offset: z.int().min(0).max(100_000).default(0) };
const refresh_ttl = z.boolean().nullable().optional();
const of = { ...ofAgent, problems: ['memory_damaged'] } as const;

export const langgraphItemEndpoints = {
  'langgraph.put_item': {
    ...of,
    method: 'PUT',
    path: `${root}/store/items`,
    summary: 'store.put_item of the SDK',
    reply: { kind: 'none', status: 204 },
    body: z.strictObject({
      namespace: namespace.min(1),
      key,
      value: members,
      index: z
        .union([z.literal(false), z.array(z.string().max(500)).max(100)])
        .nullable()
        .optional(),
      ttl: z.number().positive().max(52_560_000).nullable().optional(),
    }),
    problems: ['memory_damaged', 'memory_full'],
  },
  'langgraph.item': {
    ...of,
    method: 'GET',
    path: `${root}/store/items`,
    summary: 'store.get_item of the SDK',
    query: z.strictObject({
      namespace: z.string().max(20_000).optional().describe('its parts, joined by dots'),
      key,
      refresh_ttl: z.stringbool().optional(),
    }),
  },
  'langgraph.delete_item': {
    ...of,
    method: 'DELETE',
    path: `${root}/store/items`,
    summary: 'store.delete_item of the SDK',
    reply: { kind: 'none', status: 204 },
    body: z.strictObject({ namespace, key }),
  },
  'langgraph.search_items': {
    ...of,
    method: 'POST',
    path: `${root}/store/items/search`,
    summary: 'store.search_items of the SDK',
    body: z.strictObject({
      namespace_prefix: namespace.default([]),
      query: z.string().max(10_000).nullable().optional(),
      filter: members.nullable().optional(),
      refresh_ttl,
      ...page,
    }),
  },
  'langgraph.namespaces': {
    ...of,
    method: 'POST',
    path: `${root}/store/namespaces`,
    summary: 'store.list_namespaces of the SDK',
    body: z.strictObject({
      prefix: namespace.nullable().optional(),
      suffix: namespace.nullable().optional(),
      max_depth: z.int().min(1).nullable().optional(),
      ...page,
    }),
  },
} as const satisfies Record<string, Endpoint>;
