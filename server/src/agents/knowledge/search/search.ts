// A search in a knowledge base or a RAG index, for somebody.
import type { FoundPassages, Passage } from '@gantry/contract/agents/knowledge.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { EndCaller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { GatewayRun } from '../../../models/gateway/run-of-call.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import * as store from '../chunk-store.ts';
import type { SearchParts } from '../parts.ts';
import { withSight } from '../rights/sight.ts';
import { searchedIn, type Searched, type SearchedPart } from '../searched.ts';
import { rank } from './rank.ts';

export interface AskedSearch {
  asset: AssetRecord;
  /** For whom. Undefined: for nobody, who finds no document with readers. */
  caller: EndCaller | undefined;
  query: string;
  limit?: number | undefined;
  run: GatewayRun;
  signal: AbortSignal;
}

/** The best passages first. Throws `nothing_serves`. */
export async function search(knowledge: SearchParts, asked: AskedSearch): Promise<FoundPassages> {
  const { db } = knowledge;
  const { parts: found, top_k, reranking } = await requireSearched(db, asked.asset);
  const parts = await withSight(db, asked.caller, found);
  const { best, reranked, notices } = await rank(knowledge, { ...asked, parts, reranking });
  const chunks = await rankedChunks(db, parts, best.slice(0, asked.limit ?? top_k));
  const scores = new Map(reranked.map(({ id, score }) => [id, score]));
  const base_url = knowledge.base_url();
  return {
    passages: chunks.map((one) => ({ ...printPassage(base_url, one), rerank_score: scores.get(one.id) ?? null })),
    searched: parts.map(({ base, snapshot }) => ({ base: base.ref, snapshot: snapshot.number })),
    notices,
  };
}

/** Throws `nothing_serves`. */
export async function requireSearched(db: Reader, asset: AssetRecord): Promise<Searched> {
  const found = await searchedIn(db, asset);
  if (found.parts.length > 0) return found;
  const { ref, asset_kind, name } = asset;
  const isBase = asset_kind === 'knowledge-base';
  throw new Problem('nothing_serves', {
    detail: isBase ? `${ref} has no snapshot that serves.` : `${ref} was not built, or none of its bases serves.`,
    hint: `svc kb refresh ${isBase ? name : ref}`,
  });
}

export interface RankedChunk extends store.FoundChunk {
  score: number;
  part: SearchedPart;
}

/** In the order of the ranks, without what is gone meanwhile. */
export async function rankedChunks(
  db: Reader,
  parts: readonly SearchedPart[],
  ranked: readonly { id: string; score: number }[],
): Promise<RankedChunk[]> {
  const ids = ranked.map(({ id }) => id);
  const chunks = new Map((await store.chunksById(db, ids)).map((one) => [one.id, one]));
  return ranked.flatMap(({ id, score }) => {
    const chunk = chunks.get(id);
    const part = parts.find(({ base }) => base.id === chunk?.base_id);
    return chunk === undefined || part === undefined ? [] : [{ ...chunk, score, part }];
  });
}

function printPassage(base_url: string, chunk: RankedChunk): Omit<Passage, 'rerank_score'> {
  const { part, document_id, starts, ends, passage: text } = chunk;
  const link = `${base_url}/knowledge/${part.base.name}/documents/${document_id}?start=${starts}&end=${ends}`;
  return { text, ...printPlace(chunk), link };
}

export function printPlace(chunk: RankedChunk): Omit<Passage, 'text' | 'link' | 'rerank_score'> {
  const { score, title, path, headings, part, document_id: document, starts: start, ends: end } = chunk;
  return { score, title, path, headings, base: part.base.ref, snapshot: part.snapshot.number, document, start, end };
}
