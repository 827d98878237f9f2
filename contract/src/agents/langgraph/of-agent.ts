// What all endpoints of langgraph's API share. Requests and answers have the shapes of its SDKs, so answers pass as raw JSON.
import { z } from 'zod';
import { json, name } from '../../wire.ts';

export const root = '/agents/{name}/langgraph';
export const byAgent = z.strictObject({ name });
/** Free JSON objects of the caller: metadata, config, values. */
export const members = z.record(z.string(), json);
export const offsets = { limit: z.int().min(1).max(1000).default(10), offset: z.int().min(0).max(100_000).default(0) };

export const ofAgent = {
  surface: 'langgraph',
  operation: 'asset.invoke',
  params: byAgent,
  reply: { kind: 'passed', status: 200 },
} as const;
