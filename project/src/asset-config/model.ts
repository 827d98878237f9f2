import { z } from 'zod';
import { identifier, modelId, environmentName } from '@gantry/contract/identifiers.ts';
import { listOf } from '@gantry/contract/formats/list-of.ts';
import { modelProvider, whyUnsupported } from '../model-providers.ts';
import { parseRef } from '@gantry/contract/refs.ts';
import { httpAddress } from './http-address.ts';

const price = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,5})(?:\.\d{1,9})?$/, 'must be a decimal number as text, such as "2.50"');
const tokens = z.int().min(1).max(100_000_000);
const seconds = z.int().min(1).max(3600);

const ofUpstream = {
  base_url: httpAddress.optional().describe('Its address; unset: that of the provider'),
  secret: environmentName.optional().describe('The name of the secret of its team that holds the credential'),
  api_version: z
    .string()
    .regex(/^[A-Za-z0-9.-]{1,40}$/, 'must be a version such as 2024-10-21')
    .optional()
    .describe('The `api-version` that a deployment of Azure needs'),
};

/** A model for agents: its upstreams, and the price of a call. */
export const model = z
  .strictObject({
    provider: identifier
      .refine((name) => whyUnsupported(name) === undefined, {
        error: ({ input }) => whyUnsupported(String(input)) ?? '',
      })
      .describe('Its provider; one without a preset is called in the format of OpenAI'),
    model: modelId.describe('Its name at the provider'),
    type: z
      .enum(['chat', 'embedding', 'rerank'])
      .default('chat')
      .describe('Its output: an answer, a vector, or scores of texts by `POST <base_url>/rerank`'),
    aliases: listOf(
      modelId.refine((alias) => parseRef(alias)?.kind !== 'model', {
        error: 'must be no reference: models/<name> is always the model of that name',
      }),
      20,
    )
      .optional()
      .describe('Further names under which its own team calls it; other teams call it by its name'),
    ...ofUpstream,
    project: z
      .string()
      .regex(/^[a-z][a-z0-9-]{3,62}$/, 'must be the id of a project')
      .optional()
      .describe('The project of Vertex AI'),
    region: z
      .string()
      .regex(/^[a-z][a-z0-9-]{1,40}$/, 'must be a region such as europe-west4, or global')
      .optional()
      .describe('The region of Vertex AI, or `global`'),
    upstreams: listOf(
      z.strictObject({
        ...ofUpstream,
        weight: z.int().min(1).max(1000).default(1).describe('Its share of the calls, among those of its priority'),
        priority: z.int().min(1).max(100).default(1).describe('1 is called first, the others when it fails'),
      }),
      10,
    )
      .min(1)
      .optional()
      .describe('Several addresses of the same model, in place of `base_url` and `secret`'),
    fallbacks: listOf(identifier, 3)
      .optional()
      .describe('Names of models that are called in this order when it fails, as far as the key may call them'),
    timeouts: z
      .strictObject({
        first_byte_seconds: seconds.optional().describe('Until the answer begins; unset: 300'),
        idle_seconds: seconds.optional().describe('Between two parts of an answer; unset: 120'),
        total_seconds: seconds.optional().describe('Until the answer ends; unset: 600'),
      })
      .optional()
      .describe('How long a call may take'),
    context_window_tokens: tokens
      .optional()
      .describe(
        'The largest context of a call; a call reserves at most so many tokens of input. Unset: nothing bounds it but the bytes of the request',
      ),
    max_output_tokens: tokens
      .optional()
      .describe(
        'The longest answer; unset: that of the table of published limits, else 4096 for a call under a budget',
      ),
    image_max_tokens: tokens.optional().describe('The most tokens that an image costs; unset: 50000'),
    file_max_tokens: tokens
      .optional()
      .describe('The most tokens that a file costs, such as a PDF; unset: the whole context of the model'),
    price_usd_per_million: z
      .strictObject({
        input: price.describe('For a million tokens of input'),
        cached_input: price.optional().describe('For a million tokens of input from the cache; unset: as input'),
        cache_write: price.optional().describe('For a million tokens of input that enter the cache; unset: as input'),
        output: price.optional().describe('For a million tokens of output'),
      })
      .optional()
      .describe('Its own price, as decimal text; unset: that of the price table'),
  })
  .refine(({ type, provider }) => type !== 'rerank' || modelProvider(provider).kind === 'openai', {
    error: 'must be chat or embedding: this provider has no reranking in the form of Cohere, Jina and vLLM',
    path: ['type'],
  })
  .superRefine((config, context) => {
    const fault = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (modelProvider(config.provider).is_vertex !== true) {
      for (const field of ['project', 'region'] as const)
        if (config[field] !== undefined) fault(field, 'belongs to the provider `vertex` alone');
      return;
    }
    if (config.type === 'embedding') fault('type', 'must be chat: Vertex AI has another format for vectors');
    const hasAddress = [config, ...(config.upstreams ?? [])].some((one) => one.base_url !== undefined);
    for (const field of ['project', 'region'] as const)
      if (config[field] === undefined && !hasAddress) fault(field, 'is needed for Vertex AI');
  })
  .superRefine(({ upstreams, ...config }, context) => {
    if (upstreams === undefined) return;
    for (const field of ['base_url', 'secret', 'api_version'] as const)
      if (config[field] !== undefined)
        context.addIssue({ code: 'custom', path: [field], message: 'belongs into each of `upstreams`' });
  });

interface OfUpstream {
  base_url?: string | undefined;
  secret?: string | undefined;
}

interface Credentialed extends OfUpstream {
  project?: string | undefined;
  upstreams?: readonly OfUpstream[] | undefined;
}

/** The names of the secrets that a valid config needs. */
export function secretsOfModel({ secret, upstreams = [] }: Credentialed): string[] {
  return [...new Set([secret, ...upstreams.map((one) => one.secret)].filter((name) => name !== undefined))];
}

/** What a valid config has of the parts that decide where its calls go, with which credential, and what they cost. */
export function billedParts(config: Credentialed & { price_usd_per_million?: unknown }): string[] {
  return [
    ...(secretsOfModel(config).length > 0 ? ['the credential'] : []),
    ...([config, ...(config.upstreams ?? [])].some((one) => one.base_url !== undefined) || config.project !== undefined
      ? ['the address']
      : []),
    ...(config.price_usd_per_million === undefined ? [] : ['the price']),
  ];
}
