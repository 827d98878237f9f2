// The longest answer that a call asks for, and the limit that the gateway sets in its place because a budget, a limit per minute or the key
// needs one.
import type { Attempt } from '../upstream/attempt.ts';
import type { Model } from '../model.ts';
import type { AskedOfModel } from '../wires/wire.ts';

/** The longest answer of a model for which nobody says one. A limited call sends it, so it must not exceed what models accept. */
export const usual_max_output_tokens = 4096;

/** For one choice. Many models refuse more than what the input leaves of their context. */
export function wantedOutput(
  { output_tokens, expected_input_tokens }: AskedOfModel,
  { max_output_tokens, context_window_tokens, published }: Model,
): number {
  if (output_tokens !== undefined) return output_tokens;
  if (max_output_tokens === undefined) return usual_max_output_tokens;
  const context = context_window_tokens ?? published?.context_window_tokens ?? Infinity;
  return Math.min(max_output_tokens, Math.max(usual_max_output_tokens, context - expected_input_tokens));
}

type Limited = Pick<Attempt, 'asked' | 'model' | 'key' | 'output_tokens' | 'is_limited'>;

/** What the upstream is told, for one choice. */
export function sentLimit({ asked, key, output_tokens, is_limited }: Limited) {
  return {
    output_tokens: Math.floor(output_tokens / asked.choices),
    is_limited: is_limited || key.settings.max_tokens !== undefined,
  };
}

/** The header X-Output-Limit, an item of RFC 8941: `4096;by=budget`. Empty without a limit that is the gateway's own. */
export function limitHeader(attempt: Limited): Record<string, string> {
  const { asked, model, key } = attempt;
  const { output_tokens, is_limited } = sentLimit(attempt);
  const free = Math.min(asked.output_tokens ?? Infinity, model.max_output_tokens ?? Infinity);
  if (!is_limited || output_tokens >= free) return {};
  const wanted = wantedOutput(asked, model);
  const by = () => {
    if (output_tokens === key.settings.max_tokens) return 'key';
    if (output_tokens < wanted) return 'budget';
    return model.max_output_tokens === undefined ? 'unknown_model' : 'context';
  };
  return { 'x-output-limit': `${output_tokens};by=${by()}` };
}
