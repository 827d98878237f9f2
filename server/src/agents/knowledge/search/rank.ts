// The ranks of a search: by words, by meaning, both together, and by a reranker. Rights come first: what a sight hides takes part in no rank and no score.
import type { GatewayRun } from '../../../models/gateway/run-of-call.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import * as store from '../chunk-store.ts';
import type { SearchParts } from '../parts.ts';
import type { Reranking, SearchedPart } from '../searched.ts';
import { byMeaning, type Question } from './by-meaning.ts';
import { bestOf, fuseRanks } from './fuse-ranks.ts';
import { byReranker } from './rerank.ts';

/** Of each way of searching, before they are fused. */
const candidates = 50;

export interface Sighted extends SearchedPart {
  sight: store.Sight;
}

export interface AskedRanks {
  /** It pays for the vector of the query, and for the reranker. */
  asset: AssetRecord;
  query: string;
  parts: readonly Sighted[];
  run: GatewayRun;
  signal: AbortSignal;
  /** Unset: the order of both ranks together stays. */
  reranking?: Reranking | undefined;
  /** Where several searches have the same query. */
  question?: Question | undefined;
}

/** Ids of chunks, the best first. */
export interface Ranks {
  words: { id: string; score: number }[];
  meaning: { id: string; score: number }[];
  fused: { id: string; score: number }[];
  /** Empty without a reranker, or without its answer. */
  reranked: { id: string; score: number }[];
  /** In the order in which they are shown: first those that were reranked. The scores are those of `fused`. */
  best: { id: string; score: number }[];
  notices: string[];
}

export async function rank(knowledge: SearchParts, asked: AskedRanks): Promise<Ranks> {
  const [words, { found: meaning, notices }] = await Promise.all([
    byWords(knowledge, asked),
    byMeaning(knowledge, { ...asked, limit: candidates }),
  ]);
  const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);
  const fused = fuseRanks([ids(words), ids(meaning)]);
  const { found: reranked, notices: why } = await byReranker(knowledge, asked, fused);
  return { words, meaning, fused, reranked, best: inOrder(fused, reranked), notices: [...notices, ...why] };
}

function inOrder(fused: Ranks['fused'], reranked: Ranks['reranked']): Ranks['best'] {
  const places = new Map(reranked.map(({ id }, at) => [id, at]));
  const placeOf = ({ id }: { id: string }) => places.get(id) ?? Infinity;
  return fused.toSorted((a, b) => (placeOf(a) === placeOf(b) ? 0 : placeOf(a) - placeOf(b)));
}

async function byWords({ db }: SearchParts, { parts, query }: AskedRanks): Promise<Ranks['words']> {
  const found = await Promise.all(
    parts.map(
      async ({ sight, making: { dictionary }, ...part }) =>
        await store.byWords(db, part, sight, { query, dictionary, limit: candidates }),
    ),
  );
  return bestOf(found, candidates);
}
