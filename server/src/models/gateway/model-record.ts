// A model of the catalogue → the wire's record.
import { stateOfModel } from '@gantry/contract/models/model-state.ts';
import { formatUsd } from '@gantry/contract/formats/money.ts';
import type { Model, ModelPrice, ModelUpstream } from '@gantry/contract/models/models.ts';
import { usual_max_output_tokens } from './admission/output-limit.ts';
import { listPrice, toModel, type Credentials, type ModelRow, type Upstream } from './model.ts';
import type { Price, Rates } from './prices/rates.ts';
import type { HealthRow } from './store.ts';

interface Known {
  credentials: Credentials;
  health: readonly HealthRow[];
  /** Why the address is refused. */
  faultOf: (base_url: string) => string | undefined;
}

export function modelRecord(row: ModelRow, known: Known): Model {
  const model = toModel(row, known.credentials);
  const { id, name, config, version } = row;
  const table = listPrice(model.provider, model.upstream_model);
  const upstreams = model.upstreams.map((upstream) => upstreamRecord(row, upstream, known));
  const price = model.price === undefined ? null : priceRecord(model.price);
  return {
    id,
    ref: `models/${name}`,
    name,
    version,
    team: row.team,
    provider: model.provider,
    kind: model.kind,
    type: model.type,
    model: model.upstream_model,
    aliases: config.aliases ?? [],
    fallbacks: [...model.fallbacks],
    price,
    own_price: config.price_usd_per_million === undefined ? null : price,
    table_price: table === undefined ? null : priceRecord(table),
    max_output_tokens: model.max_output_tokens ?? usual_max_output_tokens,
    max_output_from:
      config.max_output_tokens !== undefined ? 'config' : model.max_output_tokens === undefined ? 'default' : 'table',
    context_window_tokens: model.context_window_tokens ?? model.published?.context_window_tokens ?? null,
    former_price: null,
    upstreams,
    state: stateOfModel({ upstreams, price }, Date.now()).state,
  };
}

function upstreamRecord(
  { id, team }: ModelRow,
  { base_url, secret, credential, service_account, weight, priority }: Upstream,
  { health, faultOf }: Known,
): ModelUpstream {
  const unset =
    secret !== undefined && (credential ?? service_account) === undefined
      ? `the secret ${secret} of team:${team} is not set: svc secret set ${secret} --team ${team}`
      : undefined;
  const seen = health.find((one) => one.model_id === id && one.address === base_url);
  const { model_id: _, address: __, ...shown } = seen ?? { model_id: '', address: '' };
  return {
    base_url,
    secret: secret ?? null,
    weight,
    priority,
    fault: faultOf(base_url) ?? unset ?? null,
    health: seen === undefined ? null : (shown as ModelUpstream['health']),
  };
}

function priceRecord({ version, rates, tiers = [] }: Price): ModelPrice {
  return {
    version,
    usd_per_million: usdPerMillion(rates),
    tiers: tiers.map((tier) => ({
      above_input_tokens: tier.above_input_tokens,
      usd_per_million: usdPerMillion(tier.rates),
    })),
  };
}

const perUse = new Set(['requests', 'web_searches', 'file_searches']);

/** A rate is in pico-USD, so a million of it are thousands of nano-USD. Fees are for a thousand uses. */
function usdPerMillion(rates: Rates): Record<string, string> {
  return Object.fromEntries(
    Object.entries(rates).flatMap(([name, rate]) =>
      rate === undefined ? [] : [[name, formatUsd(perUse.has(name) ? rate : rate * 1000)]],
    ),
  );
}
