// The service asks a reranker of the catalogue how well texts answer a question. The texts are of strangers, and so is the answer: only a whole one counts,
// with one finite score for each text. A text can talk a model into a better score for itself, and into nothing else.
import { askForHolder, answeredWrong, modelForHolder, startOf, type ForHolder } from '../ask-for-holder.ts';
import type { GatewayParts } from '../parts.ts';
import { rerank } from '../wires/rerank.ts';
import { isJson, listOf, type Json } from '../wires/wire.ts';

/** Of one text. Most rerankers read 512 tokens or more, and cut by themselves. */
const most_bytes = 4000;
const least_bytes = 200;
/** Somebody waits for it. */
const rerank_ms = 10_000;

/** The score of each text, at its place; the first 4,000 bytes of each count. Higher is better, and no scale is known. Throws the refusal. */
export async function rerankTexts(
  gateway: GatewayParts,
  { query, texts, ...asked }: ForHolder & { query: string; texts: readonly string[] },
): Promise<number[]> {
  const model = await modelForHolder(gateway, asked, { type: 'rerank', makes: 'ranks' });
  const room = (model.context_window_tokens ?? Infinity) - Buffer.byteLength(query);
  const bytes = Math.max(least_bytes, Math.min(most_bytes, room));
  const documents = texts.map((text) => startOf(text, bytes));
  const sent = { model: `models/${model.name}`, query: query.toWellFormed(), documents };
  const answer = await askForHolder(
    gateway,
    { kind: 'reranking', model, wire: rerank, sent },
    { ...asked, deadline_ms: rerank_ms },
  );
  const scores = scoresIn(answer, texts.length);
  if (typeof scores === 'string') throw answeredWrong(model, scores);
  return scores;
}

/** Or what is wrong with it. */
function scoresIn(answer: Json, count: number): number[] | string {
  const results = listOf(answer['results'] ?? answer['data']);
  if (results.length !== count) return `with ${results.length} scores for ${count} texts`;
  const scores = new Map<number, number>();
  for (const one of results) {
    const { index, relevance_score: score } = isJson(one) ? one : {};
    if (!isPlace(index, count)) return 'with a score for a text that it was not given';
    if (typeof score !== 'number' || !Number.isFinite(score)) return 'with a score that is no number';
    if (scores.has(index)) return 'with two scores for one text';
    scores.set(index, score);
  }
  return Array.from({ length: count }, (_, at) => scores.get(at) ?? 0); // each place has one
}

const isPlace = (index: unknown, count: number): index is number =>
  typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < count;
