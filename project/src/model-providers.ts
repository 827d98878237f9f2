// The providers whose address and format are known. Any other one needs `base_url`, and speaks OpenAI's format.

/** The format in which a provider is called. */
export type UpstreamKind = 'openai' | 'anthropic' | 'gemini';

/** A format in which clients call models. */
export type Format = UpstreamKind | 'ollama';

export interface ModelProvider {
  kind: UpstreamKind;
  /** It answers this format too, at the same address without `/v1`. */
  also?: 'ollama';
  /** Absent: `base_url` of the model's config is needed. */
  base_url?: string;
  /** Its name for the limit of an answer's tokens in a chat; most copied OpenAI's first one. */
  max_tokens_field?: 'max_completion_tokens';
  /** It refuses `stream_options`, and its streams end with usage without being asked. */
  takes_stream_options?: false;
  /** The header that carries its credential as it is. Absent: `Authorization: Bearer`. */
  credential_header?: 'x-api-key' | 'api-key' | 'x-goog-api-key';
  /** It stops when nobody reads its stream any more, and bills what it has produced until then. */
  stops_when_left?: true;
  /** Its address has a project and a region, and its credential is the key of a service account. */
  is_vertex?: true;
  /** A server of this machine, which needs no credential. */
  is_local?: true;
}

export const modelProviders: Readonly<Record<string, ModelProvider>> = {
  openai: {
    kind: 'openai',
    base_url: 'https://api.openai.com/v1',
    max_tokens_field: 'max_completion_tokens',
    stops_when_left: true,
  },
  azure: {
    kind: 'openai',
    max_tokens_field: 'max_completion_tokens',
    credential_header: 'api-key',
  },
  anthropic: {
    kind: 'anthropic',
    base_url: 'https://api.anthropic.com/v1',
    credential_header: 'x-api-key',
    stops_when_left: true,
  },
  gemini: {
    kind: 'gemini',
    base_url: 'https://generativelanguage.googleapis.com/v1beta',
    credential_header: 'x-goog-api-key',
  },
  vertex: { kind: 'gemini', is_vertex: true },
  mistral: { kind: 'openai', base_url: 'https://api.mistral.ai/v1', takes_stream_options: false },
  groq: { kind: 'openai', base_url: 'https://api.groq.com/openai/v1' },
  together: { kind: 'openai', base_url: 'https://api.together.xyz/v1' },
  deepseek: { kind: 'openai', base_url: 'https://api.deepseek.com/v1' },
  openrouter: { kind: 'openai', base_url: 'https://openrouter.ai/api/v1' },
  xai: { kind: 'openai', base_url: 'https://api.x.ai/v1' },
  ollama: { kind: 'openai', also: 'ollama', base_url: 'http://127.0.0.1:11434/v1', is_local: true },
  vllm: { kind: 'openai', base_url: 'http://127.0.0.1:8000/v1', is_local: true },
  'lm-studio': { kind: 'openai', base_url: 'http://127.0.0.1:1234/v1', is_local: true },
};

export function isKnown(name: string): boolean {
  return Object.hasOwn(modelProviders, name);
}

export function modelProvider(name: string): ModelProvider {
  return (isKnown(name) ? modelProviders[name] : undefined) ?? { kind: 'openai' };
}

/** The formats in which clients call its models. */
export function formatsOf(name: string): Format[] {
  const { kind, also } = modelProvider(name);
  return also === undefined ? [kind] : [kind, also];
}

/** False for a provider that may go on and bill its whole answer. */
export function stopsWhenLeft(name: string): boolean {
  return modelProvider(name).stops_when_left === true;
}

/** The secret for its credential, such as `OPENAI_API_KEY`. An agent cannot name it in deploy.secrets, because the gateway alone uses it. */
export function usualSecret(provider: string): string | undefined {
  if (!isKnown(provider) || modelProvider(provider).is_local === true) return undefined;
  if (modelProvider(provider).is_vertex === true) return 'GOOGLE_SERVICE_ACCOUNT';
  return `${provider.toUpperCase().replaceAll('-', '_')}_API_KEY`;
}

/** The provider whose key or address it is, such as mistral for `MISTRAL_API_KEY`. */
export function providerOfVariable(variable: string): string | undefined {
  // Clients of Gemini read either name.
  if (/^GOOGLE_(?:API_KEY|GEMINI_)/.test(variable)) return 'gemini';
  return Object.keys(modelProviders).find((provider) => {
    const secret = usualSecret(provider);
    return secret !== undefined && variable.startsWith(secret.replace(/API_KEY$/, ''));
  });
}

/** Without the name of a model. */
export function vertexAddress({ project, region }: { project: string; region: string }): string {
  const host = region === 'global' ? 'aiplatform.googleapis.com' : `${region}-aiplatform.googleapis.com`;
  return `https://${host}/v1/projects/${project}/locations/${region}/publishers/google`;
}

const ownFormats: Readonly<Record<string, string>> = {
  bedrock: 'Amazon Bedrock',
  aws: 'Amazon Bedrock',
};

/** Why a provider cannot be called; undefined for one that can. */
export function whyUnsupported(name: string): string | undefined {
  if (name === 'google') return 'names Google, whose models the providers `gemini` and `vertex` have';
  if (name === 'vertex-ai') return 'names Vertex AI, whose models the provider `vertex` has';
  if (!Object.hasOwn(ownFormats, name)) return undefined;
  return `names ${ownFormats[name]}, whose own format the gateway does not speak yet; give the address of an endpoint in the format of OpenAI as \`base_url\`, and another name as provider`;
}

/** Where vendors serve models of such names. */
const vendorNames: readonly (readonly [RegExp, string])[] = [
  [/^(?:gpt-|chatgpt-|codex-|o\d|text-embedding-)/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^(?:mistral|ministral|magistral|codestral|devstral|pixtral)-/, 'mistral'],
  [/^deepseek-/, 'deepseek'],
  [/^grok-/, 'xai'],
  [/^gemini-/, 'gemini'],
  [/^(?:[a-z]{2,6}\.)?(?:ai21|amazon|anthropic|cohere|meta)\./, 'bedrock'],
];

/** The provider that a model of this name usually has; undefined when the name does not say it. */
export function usualProvider(model: string): string | undefined {
  return vendorNames.find(([names]) => names.test(model))?.[1];
}

/** The name of the vendor's own format in which a model is usually called, and which the gateway does not speak. */
export function ownFormatOf(model: string): string | undefined {
  const provider = usualProvider(model);
  return provider === undefined ? undefined : ownFormats[provider];
}

/** The format in which a model of this name is usually called. */
export function usualKind(model: string): UpstreamKind | undefined {
  const provider = usualProvider(model);
  return provider !== undefined && isKnown(provider) ? modelProvider(provider).kind : undefined;
}

/** As people read it. */
export const formatNames: Readonly<Record<UpstreamKind, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
};

/** A name for the catalogue: `llama3.2:latest` is llama3-2. */
export function catalogueName(model: string): string {
  const plain = model
    .toLowerCase()
    .replace(/:latest$/, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .replace(/-$/, '');
  return plain.slice(0, 63) || 'local';
}
