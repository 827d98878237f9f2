// A model of the catalogue, as a call needs it: where it is served, under which name, and at which price.
import type { z } from 'zod';
import type { model as modelConfig } from '@gantry/contract/asset-config/model.ts';
import { isKnown, modelProvider, type UpstreamKind } from '@gantry/contract/model-providers.ts';
import { findPrice } from './prices/find-price.ts';
import { priceOf } from './prices/price-of.ts';
import type { Price } from './prices/rates.ts';

export interface Model {
  id: string;
  /** Its name in the catalogue. */
  name: string;
  team: { id: string; name: string };
  provider: string;
  kind: UpstreamKind;
  /** Undefined when neither the config nor the provider says it. */
  base_url: string | undefined;
  /** Its name at the provider. */
  upstream_model: string;
  /** The name of the secret of its team that holds the credential. */
  secret: string | undefined;
  price: Price | undefined;
  max_output_tokens: number;
  max_tokens_field: 'max_tokens' | 'max_completion_tokens';
  takes_stream_options: boolean;
}

/** Of an answer when the config says nothing. A limited call sends it, so it must not exceed what models accept. */
const usual_max_output_tokens = 4096;

// The table finds a provider by parts of its name, so it would know the price of a stranger's model.
const listPrice = (provider: string, model: string) => (isKnown(provider) ? findPrice(provider, model) : undefined);

export interface ModelRow {
  id: string;
  name: string;
  team_id: string;
  team: string;
  digest: string;
  config: z.output<typeof modelConfig>;
}

export function toModel({ id, name, team_id, team, digest, config }: ModelRow): Model {
  const { provider, model, base_url, secret, price_usd_per_million: own } = config;
  const known = modelProvider(provider);
  return {
    id,
    name,
    team: { id: team_id, name: team },
    provider,
    kind: known.kind,
    base_url: base_url ?? known.base_url,
    upstream_model: model,
    secret,
    price: own === undefined ? listPrice(provider, model) : priceOf(own, `models/${name} ${digest.slice(0, 19)}`),
    max_output_tokens: config.max_output_tokens ?? usual_max_output_tokens,
    max_tokens_field: known.max_tokens_field ?? 'max_tokens',
    takes_stream_options: known.takes_stream_options ?? true,
  };
}
