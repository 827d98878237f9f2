// The members that a request may have under a budget beside its texts, because their cost has a bound.
import { isJson, type Json } from './wire.ts';

/**
 * How tokens are chosen and how the prompt is put together: at vLLM, Together, OpenRouter, Mistral and others. They change no price, and no
 * count beyond the limit of the answer. `chat_template` is not here: a template can repeat its input as often as it likes.
 */
export const samplingMembers =
  'top_k top_a min_p typical_p repetition_penalty length_penalty no_repeat_ngram_size random_seed stop_token_ids ' +
  'include_stop_str_in_output min_tokens ignore_eos bad_words allowed_token_ids skip_special_tokens spaces_between_special_tokens ' +
  'chat_template_kwargs add_generation_prompt continue_final_message safe_prompt prompt_mode guided_json guided_regex guided_choice ' +
  'guided_grammar guided_decoding_backend guided_whitespace_pattern structured_outputs enable_thinking thinking thinking_budget ' +
  'reasoning reasoning_format include_reasoning';

// The table has the price of the standard tier, and flex costs less. `auto` is what a request without the member means.
const tiers = new Set<unknown>(['auto', 'default', 'flex', 'standard_only', null, false, undefined]);

/** For a refusal. */
export function unpricedTier({ service_tier }: Json): string[] {
  if (tiers.has(service_tier)) return [];
  return [`service_tier ${JSON.stringify(service_tier).slice(0, 40)}`];
}

/** The data or the address of the file in a part. Undefined for a file that the vendor keeps. */
export function fileIn(part: unknown): string | undefined {
  if (!isJson(part)) return undefined;
  const { file = part, source } = part;
  if (isJson(source)) return fileOfSource(source);
  if (!isJson(file)) return undefined;
  const { file_data, file_url } = file;
  return textOf(file_data) ?? textOf(file_url);
}

function fileOfSource({ type, data, url, content }: Json): string | undefined {
  // A text and blocks are counted as text.
  if (type === 'text' || type === 'content') return data === undefined && content === undefined ? undefined : '';
  return textOf(data) ?? textOf(url);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
