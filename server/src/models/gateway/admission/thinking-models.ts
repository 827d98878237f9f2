// Models that think before they answer. Their thoughts count against the limit of the answer, and a judge needs few of them.

/** The families whose limit of tokens includes what they think. */
const thinks =
  /(?:^|\/)(?:o\d|gpt-[5-9]|gpt-oss|deepseek-(?:r|v[4-9])|qwen3|qwq|magistral|grok-(?:3-mini|[4-9])|glm-[4-9]|kimi-k[2-9]|minimax-m|gemini-(?:2\.5|[3-9]))/i;

/** OpenAI's models that think refuse a temperature. */
export const takesTemperature = (model: string) => !/^(?:o\d|gpt-[5-9])/.test(model);

const judge_min_tokens = 4096;

/** What a judge is given to answer with. The providers bill what it uses, not what it may use. */
export function judgeTokens(model: string, answer_tokens: number): number {
  return thinks.test(model) ? Math.max(judge_min_tokens, answer_tokens) : answer_tokens;
}

/** The least that OpenAI's models take; nothing for the ones that know no such member, and for other vendors'. */
export function judgeEffort(model: string): { reasoning_effort?: 'minimal' | 'low' } {
  if (takesTemperature(model) || /-chat|-pro|^o1-(?:mini|preview)/.test(model)) return {};
  return { reasoning_effort: /^gpt-5(?:-mini|-nano)?(?:-\d{4}|$)/.test(model) ? 'minimal' : 'low' };
}
