/** Options with which each guardrail has all its rules. */
export const examplesOfRules = {
  pii_detection: {},
  content_filter: { words: ['forbidden'], patterns: [{ pattern: 'internal-\\d{4}' }], model: 'm' },
  prompt_injection: { model: 'm' },
  hallucination_check: {},
  max_length: { output_characters: 1_000_000 },
  json_schema: { schema: {} },
  topics: { deny: [{ name: 'politics', words: ['election'] }] },
};
