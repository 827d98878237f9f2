// A model puts the best of both ranks in its order. It gets only what the caller finds. Must never happen: a search that ends, or loses a passage, because
// of this model. A passage can move itself among the others by its own words, and do nothing else.
import { Problem } from '@gantry/contract/problems.ts';
import { rerankTexts } from '../../../models/gateway/reranking/rerank-texts.ts';
import { payerOf, textOfChunk } from '../chunks/embed-chunks.ts';
import * as store from '../chunk-store.ts';
import type { KnowledgeParts } from '../parts.ts';
import type { AskedRanks, Ranks } from './rank.ts';

/** The scores of the best, the highest first. Without any, a notice says why. */
export async function byReranker(
  knowledge: KnowledgeParts,
  { asset, query, run, signal, reranking }: AskedRanks,
  fused: Ranks['fused'],
): Promise<{ found: Ranks['reranked']; notices: string[] }> {
  if (reranking === undefined) return { found: [], notices: [] };
  const best = fused.slice(0, reranking.top).map(({ id }) => id);
  const chunks = new Map((await store.readable(knowledge.db, best)).map((one) => [one.id, one]));
  const ids = best.filter((id) => chunks.has(id));
  if (ids.length < 2) return { found: [], notices: [] };
  try {
    const payer = await payerOf(knowledge.db, asset);
    const texts = ids.map((id) => textOfChunk(chunks.get(id) ?? { headings: [], passage: '' })); // each is there
    const asked = { model: reranking.model, tag: asset.ref, payer, run, signal, query, texts };
    const scores = await rerankTexts(await knowledge.models(), asked);
    const found = ids.map((id, at) => ({ id, score: scores[at] ?? 0 })); // one for each
    return { found: found.toSorted((a, b) => b.score - a.score), notices: [] };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { found: [], notices: [`not reranked: ${error.detail}`] };
  }
}
