import type { Usage } from '../prices/rates.ts';
import { count, isJson, listOf, split, type Json } from './wire.ts';

/**
 * Cached tokens are inside the prompt; the results of the vendor's tools and the thoughts are beside it and beside the answer. Google leaves a
 * count of zero out, so a missing count of the answer follows from the total.
 */
export function geminiUsage(counts: Json): Usage | undefined {
  const prompt = count(counts['promptTokenCount']);
  const total = count(counts['totalTokenCount']);
  if (prompt === undefined) return undefined;
  const of_tools = count(counts['toolUsePromptTokenCount']) ?? 0;
  const thoughts = count(counts['thoughtsTokenCount']) ?? 0;
  const rest = total === undefined ? undefined : Math.max(0, total - prompt - of_tools - thoughts);
  const said = count(counts['candidatesTokenCount']) ?? rest;
  if (said === undefined) return undefined;
  const inputs = byModality(counts['promptTokensDetails']);
  const cached = byModality(counts['cacheTokensDetails']);
  const outputs = byModality(counts['candidatesTokensDetails']);
  const from_cache = count(counts['cachedContentTokenCount']) ?? 0;
  // What of a kind was cached is not charged again as new.
  const fresh = (kind: string) => Math.max(0, inputs(kind) - cached(kind));
  const cached_input = Math.max(0, from_cache - cached('AUDIO') - cached('IMAGE'));
  return {
    ...split(prompt + of_tools, 'input', {
      cached_input,
      cached_input_audio: Math.min(cached('AUDIO'), from_cache),
      cached_input_image: Math.min(cached('IMAGE'), from_cache),
      input_audio: fresh('AUDIO'),
      input_image: fresh('IMAGE'),
      input_video: fresh('VIDEO'),
    }),
    ...split(said + thoughts, 'output', {
      output_reasoning: thoughts,
      output_audio: outputs('AUDIO'),
      output_image: outputs('IMAGE'),
      output_video: outputs('VIDEO'),
    }),
  };
}

function byModality(details: unknown): (modality: string) => number {
  const listed = listOf(details).filter(isJson);
  return (modality) =>
    Math.max(0, ...listed.filter((one) => one['modality'] === modality).map((one) => count(one['tokenCount']) ?? 0));
}
