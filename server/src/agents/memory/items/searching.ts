// How the items of an agent's store are searched: the memory config of its revision says it, as its push has pinned it.
import type { MemoryConfig } from '@gantry/project/asset-config/memory-config.ts';
import { LRUCache } from 'lru-cache';
import { memoryOfAgent } from '../../../assets/registry/references/memory-of-agent.ts';
import type { Origin } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { RunClaims } from '../../../ground/run-token.ts';
import type { TraceContext } from '../../../ground/trace-context.ts';
import type { GatewayParts } from '../../../models/gateway/parts.ts';
import { noRun, type GatewayRun } from '../../../models/gateway/run-of-call.ts';
import type { MemoryParts } from '../parts.ts';
import { embedder, type Embed } from './embed-items.ts';
import * as store from './revision-store.ts';

export interface ItemParts extends MemoryParts {
  /** The gateway of this process. */
  models: () => Promise<GatewayParts>;
}

export interface Searching {
  /** Whose texts are searched in an item that is put without paths of its own; null: all. */
  paths: string[] | null;
  /** Undefined: items are found by their words. */
  embed: Embed | undefined;
}

export interface Request {
  origin: Origin;
  signal: AbortSignal;
}

/** For a run: as its revision says. Its key pays. */
export async function searchingOfRun(parts: ItemParts, run: RunClaims, request: Request): Promise<Searching> {
  const { revision_id, key_id } = run;
  return await searching(parts, { revision_id, key_id }, { run, ...request });
}

/** For a caller without a run: as the serving revision says, whose key pays. */
export async function searchingOfAgent(
  parts: ItemParts,
  { agent_id, caller_id }: { agent_id: string; caller_id: string },
  { trace, ...request }: Request & { trace: TraceContext },
): Promise<Searching> {
  const serving = await store.servingRevision(parts.db, agent_id);
  if (serving === undefined) return { paths: null, embed: undefined };
  const run = { ...noRun, revision_id: serving.revision_id, caller_id, trace_id: trace.trace_id };
  return await searching(parts, serving, { run, ...request });
}

async function searching(
  parts: ItemParts,
  { revision_id, key_id }: store.KeyOfRevision,
  by: Request & { run: GatewayRun },
): Promise<Searching> {
  const { embedding, search = null } = await configOf(parts.db, revision_id);
  return { paths: search, embed: embedding && embedder(parts, { ...by, key_id, model: embedding.ref }) };
}

type Config = Pick<MemoryConfig, 'embedding' | 'search'>;

// The version of a revision never changes, and a deployed one has final content.
const known = new LRUCache<string, Config>({ max: 10_000 });

async function configOf(db: Reader, revision_id: string): Promise<Config> {
  const kept = known.get(revision_id);
  if (kept !== undefined) return kept;
  const digest = await store.digestOfRevision(db, revision_id);
  const config = (digest === undefined ? undefined : await memoryOfAgent(db, digest))?.config ?? {};
  known.set(revision_id, config);
  return config;
}
