import type { Usage } from '../prices/rates.ts';
import { count, isJson, split, type Json } from './wire.ts';

/** Cached, written, audio and image tokens are inside the input; reasoning and audio tokens are inside the output. */
export function openaiUsage(counts: Json, [input_name, output_name]: [string, string]): Usage | undefined {
  const input = count(counts[input_name]);
  const said = count(counts[output_name]);
  if (input === undefined || said === undefined) return undefined;
  const inputs = detailsOf(counts, input_name);
  const outputs = detailsOf(counts, output_name);
  const reasoning = count(outputs['reasoning_tokens']) ?? 0;
  // Some vendors, such as xAI, count reasoning beside the output, and only their total includes it.
  const isBeside = count(counts['total_tokens']) === input + said + reasoning;
  return {
    ...split(input, 'input', {
      cached_input: inputs['cached_tokens'],
      cache_write: inputs['cache_write_tokens'],
      input_audio: inputs['audio_tokens'],
      input_image: inputs['image_tokens'],
    }),
    ...split(isBeside ? said + reasoning : said, 'output', {
      output_reasoning: reasoning,
      output_audio: outputs['audio_tokens'],
    }),
  };
}

function detailsOf(counts: Json, name: string): Json {
  const details = counts[`${name}_details`];
  return isJson(details) ? details : {};
}
