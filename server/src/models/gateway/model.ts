// A model of the catalogue, as a call needs it: where it is served, under which name, and at which price.
import type { z } from 'zod';
import type { model as modelConfig } from '@gantry/project/asset-config/model.ts';
import {
  formatsOf,
  isKnown,
  modelProvider,
  vertexAddress,
  type Format,
  type ModelProvider,
  type UpstreamKind,
} from '@gantry/project/model-providers.ts';
import { findLimits, type ModelLimits } from './prices/find-limits.ts';
import { findPrice } from './prices/find-price.ts';
import { priceOf } from './prices/price-of.ts';
import type { Price } from './prices/rates.ts';
import { takesTemperature } from './admission/thinking-models.ts';

export interface Model {
  id: string;
  /** Its name in the catalogue. */
  name: string;
  team: { id: string; name: string };
  provider: string;
  kind: UpstreamKind;
  /** In which clients may call it. */
  formats: readonly Format[];
  type: 'chat' | 'embedding' | 'rerank';
  /** None when neither the config nor the provider says an address. */
  upstreams: readonly Upstream[];
  /** Its name at the provider. */
  upstream_model: string;
  credential_header: ModelProvider['credential_header'];
  /** Names of models that a call may go to when this one fails. */
  fallbacks: readonly string[];
  price: Price | undefined;
  /** The longest answer. Undefined when nobody says it. */
  max_output_tokens: number | undefined;
  /** The context window in its config: the upstream refuses a longer input. */
  context_window_tokens: number | undefined;
  /** What vendors publish about it, which can be out of date. */
  published: ModelLimits | undefined;
  image_max_tokens: number | undefined;
  file_max_tokens: number | undefined;
  max_tokens_field: 'max_tokens' | 'max_completion_tokens';
  takes_stream_options: boolean;
  takes_temperature: boolean;
  timeouts: Timeouts;
}

export interface Upstream {
  base_url: string;
  api_version: string | undefined;
  /** The name of the secret of the model's team that holds the credential. */
  secret: string | undefined;
  /** Undefined without a secret, and for one that is not set. */
  credential: string | undefined;
  /** The account of Vertex AI, in place of the credential: a token for each call follows from it. */
  service_account: string | undefined;
  weight: number;
  /** The lowest is called first. */
  priority: number;
}

interface Timeouts {
  first_byte_ms: number;
  /** Between two parts of an answer. */
  idle_ms: number;
  total_ms: number;
}

// An answer in one piece begins when the model has finished.
const usual_first_byte_seconds = 300;
const usual_idle_seconds = 120;
const usual_total_seconds = 600;

/** The price of the table. It finds a provider by parts of its name, so it would know the price of a stranger's model. */
export const listPrice = (provider: string, model: string) =>
  isKnown(provider) ? findPrice(provider, model) : undefined;

const publishedLimits = (provider: string, model: string) =>
  isKnown(provider) ? findLimits(provider, model) : undefined;

type ModelConfig = z.output<typeof modelConfig>;

export interface ModelRow {
  id: string;
  name: string;
  team_id: string;
  team: string;
  created_at: string;
  version: string;
  digest: string;
  config: ModelConfig;
}

/** The values of the secrets of its team, by name. */
export type Credentials = ReadonlyMap<string, string>;

export function toModel({ id, name, team_id, team, digest, config }: ModelRow, credentials: Credentials): Model {
  const { provider, model, type, price_usd_per_million: own, timeouts } = config;
  const known = modelProvider(provider);
  const published = publishedLimits(provider, model);
  return {
    id,
    name,
    team: { id: team_id, name: team },
    provider,
    kind: known.kind,
    formats: formatsOf(provider),
    type,
    upstreams: (config.upstreams ?? [{ ...config, weight: 1, priority: 1 }]).flatMap((one): Upstream[] => {
      const { base_url = presetAddress(config, known), api_version, secret, weight, priority } = one;
      const value = credentials.get(secret ?? '');
      const credential = known.is_vertex === true ? undefined : value;
      const service_account = known.is_vertex === true ? value : undefined;
      return base_url === undefined
        ? []
        : [{ base_url, api_version, secret, credential, service_account, weight, priority }];
    }),
    upstream_model: model,
    credential_header: known.credential_header,
    fallbacks: config.fallbacks ?? [],
    price: own === undefined ? listPrice(provider, model) : priceOf(own, `models/${name} ${digest.slice(0, 19)}`),
    max_output_tokens: config.max_output_tokens ?? published?.max_output_tokens,
    context_window_tokens: config.context_window_tokens,
    published,
    image_max_tokens: config.image_max_tokens,
    file_max_tokens: config.file_max_tokens,
    max_tokens_field: known.max_tokens_field ?? 'max_tokens',
    takes_stream_options: known.takes_stream_options ?? true,
    takes_temperature: takesTemperature(model),
    timeouts: {
      first_byte_ms: (timeouts?.first_byte_seconds ?? usual_first_byte_seconds) * 1000,
      idle_ms: (timeouts?.idle_seconds ?? usual_idle_seconds) * 1000,
      total_ms: (timeouts?.total_seconds ?? usual_total_seconds) * 1000,
    },
  };
}

function presetAddress({ project, region }: ModelConfig, { base_url }: ModelProvider): string | undefined {
  return project === undefined || region === undefined ? base_url : vertexAddress({ project, region });
}
