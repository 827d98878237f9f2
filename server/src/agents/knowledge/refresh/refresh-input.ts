// The input and the result of the run of a refresh. Both are stored as JSON.
import type { Run } from '../../../ground/runs/run.ts';

export interface RefreshInput {
  /** Of a knowledge base, or of a RAG index. */
  asset_id: string;
  ref: string;
  /** Whose config counts. */
  version: string;
  /** The digest of its content. */
  config: string;
  origin: { request_id: string | null; ip: string | null };
  /** Undefined: a person started it. Otherwise it has the rights of the owner of the asset. */
  started?: 'schedule' | 'hook' | undefined;
}

export interface RefreshResult {
  /** Null for a RAG index. */
  snapshot: number | null;
  serves: boolean;
}

export type RefreshRun = Run<RefreshInput>;

/** One refresh of an asset at a time. */
export function refreshMutex(asset_id: string): string {
  return `refresh:${asset_id}`;
}
