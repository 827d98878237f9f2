// The longest answer and the largest context of vendors' models, in tokens, with what a beta offers. Source: the vendors' pages of their models, compared with the contexts of
// genai-prices, on 2026-11-23. A name that is not here has no figures: a limit that a vendor does not accept would fail each call.

export interface ModelLimits {
  context_window_tokens: number;
  max_output_tokens: number;
}

/** Names are the vendor's own, without a date. The longest name counts that the model has, or begins with before a hyphen. */
type Rows = Readonly<Record<string, readonly [context_window_tokens: number, max_output_tokens: number]>>;

export function findLimits(provider: string, model: string): ModelLimits | undefined {
  // A fine-tuned model has the limits of its base: `ft:gpt-4o-mini-2024-07-18:acme::id`.
  const name = model.toLowerCase().replace(/^ft:/, '');
  const found = Object.entries(tables[provider] ?? {})
    .filter(([family]) => name === family || name.startsWith(`${family}-`) || name.startsWith(`${family}:`))
    .toSorted(([one], [other]) => other.length - one.length)[0];
  if (found === undefined) return undefined;
  const [context_window_tokens, max_output_tokens] = found[1];
  return { context_window_tokens, max_output_tokens };
}

const openai: Rows = {
  'gpt-3.5-turbo': [16_385, 4096],
  'gpt-4': [8192, 8192],
  'gpt-4-32k': [32_768, 32_768],
  'gpt-4-0125': [128_000, 4096],
  'gpt-4-1106': [128_000, 4096],
  'gpt-4-turbo': [128_000, 4096],
  'gpt-4-vision': [128_000, 4096],
  'gpt-4.1': [1_047_576, 32_768],
  'gpt-4o': [128_000, 16_384],
  'gpt-4o-2024-05-13': [128_000, 4096],
  'chatgpt-4o-latest': [128_000, 16_384],
  'gpt-5': [400_000, 128_000],
  'gpt-5-chat': [128_000, 16_384],
  'gpt-5.1': [400_000, 128_000],
  'gpt-5.1-chat': [128_000, 16_384],
  'gpt-5.2': [400_000, 128_000],
  'gpt-5.2-chat': [128_000, 16_384],
  'gpt-5.3': [400_000, 128_000],
  'gpt-5.3-chat': [128_000, 16_384],
  'gpt-5.3-codex-spark': [128_000, 32_000],
  'gpt-5.4': [1_050_000, 128_000],
  'gpt-5.4-mini': [400_000, 128_000],
  'gpt-5.4-nano': [400_000, 128_000],
  'gpt-5.5': [1_050_000, 128_000],
  'gpt-5.6': [1_050_000, 128_000],
  'gpt-6': [1_050_000, 128_000],
  'gpt-6.1': [1_050_000, 128_000],
  o1: [200_000, 100_000],
  'o1-mini': [128_000, 65_536],
  'o1-preview': [128_000, 32_768],
  o3: [200_000, 100_000],
  'o4-mini': [200_000, 100_000],
};

const gemini: Rows = {
  'gemini-2.0-flash': [1_048_576, 8192],
  'gemini-2.0-flash-lite': [1_048_576, 8192],
  'gemini-2.5-flash': [1_048_576, 65_536],
  'gemini-2.5-flash-image': [65_536, 32_768],
  'gemini-2.5-flash-lite': [1_048_576, 65_536],
  'gemini-2.5-flash-preview-tts': [8192, 16_384],
  'gemini-2.5-pro': [1_048_576, 65_536],
  'gemini-2.5-pro-preview-tts': [8192, 16_384],
  'gemini-3-flash-preview': [1_048_576, 65_536],
  'gemini-3-pro-preview': [1_048_576, 65_536],
  'gemini-3.1-pro-preview': [1_048_576, 65_536],
};

const tables: Readonly<Record<string, Rows>> = {
  openai,
  // A deployment has a name of its own, which often is that of its model.
  azure: openai,
  anthropic: {
    'claude-3-haiku': [200_000, 4096],
    'claude-3-opus': [200_000, 4096],
    'claude-3-sonnet': [200_000, 4096],
    'claude-3-5-haiku': [200_000, 8192],
    'claude-3-5-sonnet': [200_000, 8192],
    'claude-3-7-sonnet': [200_000, 64_000],
    'claude-opus-4': [200_000, 32_000],
    'claude-opus-4-5': [200_000, 64_000],
    'claude-opus-4-6': [1_000_000, 128_000],
    'claude-opus-4-7': [1_000_000, 128_000],
    'claude-opus-4-8': [1_000_000, 128_000],
    'claude-opus-5': [1_000_000, 128_000],
    'claude-sonnet-4': [1_000_000, 64_000],
    'claude-sonnet-4-6': [1_000_000, 128_000],
    'claude-sonnet-5': [1_000_000, 128_000],
    'claude-haiku-4-5': [200_000, 64_000],
    'claude-haiku-5-5': [1_000_000, 128_000],
    'claude-fable-5': [1_000_000, 128_000],
  },
  gemini,
  vertex: gemini,
  mistral: {
    'codestral-2508': [256_000, 8192],
    'devstral-2512': [262_144, 262_144],
    'magistral-medium': [131_072, 16_384],
    'ministral-8b': [262_144, 131_072],
    'mistral-large-2411': [131_072, 16_384],
    'mistral-large-2512': [262_144, 262_144],
    'mistral-medium-2505': [131_072, 131_072],
    'mistral-medium-2508': [262_144, 131_072],
    'mistral-small-2506': [131_072, 16_384],
    'mistral-small-2603': [262_144, 262_144],
  },
  deepseek: {
    'deepseek-chat': [128_000, 8192],
    'deepseek-reasoner': [128_000, 65_536],
    'deepseek-v4': [1_000_000, 384_000],
  },
  groq: {
    'llama-3.1-8b-instant': [131_072, 131_072],
    'llama-3.3-70b-versatile': [131_072, 32_768],
    'meta-llama/llama-4-maverick': [131_072, 8192],
    'meta-llama/llama-4-scout': [131_072, 8192],
    'moonshotai/kimi-k2-instruct': [262_144, 16_384],
    'openai/gpt-oss': [131_072, 65_536],
    'qwen/qwen3': [131_072, 40_960],
  },
  xai: {
    'grok-3': [131_072, 8192],
    'grok-4.3': [1_000_000, 30_000],
    'grok-code-fast-1': [256_000, 10_000],
  },
} satisfies Readonly<Record<string, Rows>>;
