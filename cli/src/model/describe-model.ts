import type { Model, ModelPrice, ModelTest, ModelUpstream } from '@gantry/contract/models/models.ts';
import { stateOfModel, stateOfUpstream } from '@gantry/contract/models/model-state.ts';
import {
  bad,
  faint,
  fields,
  good,
  line,
  prose,
  table,
  time,
  warn,
  type Block,
  type Cell,
  type View,
} from '../view/view.ts';

export function listOfModels(models: readonly Model[]): Block {
  return table(
    ['model', 'team', 'provider', 'served as', 'input', 'output', prose('state')],
    models.map((model) => [
      model.name,
      model.team,
      model.provider,
      model.model,
      rate(model.price, 'input'),
      rate(model.price, 'output'),
      stateOf(model),
    ]),
    'No models yet. Add one: svc model add gpt-4o --provider openai',
  );
}

export function describeModel(model: Model): View {
  const { name, team, version, provider, kind, type, aliases, fallbacks } = model;
  return [
    fields({
      Model: `models/${name}@${version}`,
      Team: team,
      Provider: `${provider}, called in the format of ${kind}`,
      'Served as': model.model,
      Type: type,
      Aliases: aliases.length === 0 ? undefined : aliases.join(', '),
      Fallbacks: fallbacks.length === 0 ? undefined : fallbacks.join(', '),
      Price: describePrice(model),
      'Longest answer': type === 'chat' ? describeOutput(model) : undefined,
      Context: model.context_window_tokens === null ? undefined : `${model.context_window_tokens} tokens`,
    }),
    table(
      ['upstream', 'priority', 'weight', 'credential', 'state', 'last answer', 'last failure', prose('last problem')],
      model.upstreams.map((upstream) => [
        upstream.base_url,
        upstream.priority,
        upstream.weight,
        upstream.secret,
        stateOfOne(upstream),
        time(upstream.health?.last_success_at ?? null),
        time(upstream.health?.last_failure_at ?? null),
        upstream.health?.last_problem ?? null,
      ]),
      'It has no address: set `base_url` in its config.',
    ),
    ...faultLines(model),
    line(faint('The state is what one process of the gateway saw last. Each process pauses upstreams by itself.')),
  ];
}

/** Why its upstreams cannot be called. */
export function faultLines({ upstreams }: Model): View {
  return upstreams.flatMap(({ fault, base_url }) =>
    fault === null ? [] : [line(warn('! '), `${base_url} cannot be called: ${fault}`)],
  );
}

export function describePrice({ name, price, own_price }: Model): string {
  if (price === null) return `unknown, so a budget refuses its calls: svc model price set ${name} --input … --output …`;
  const figures = ['input', 'cached_input', 'cache_write', 'output'].flatMap((kind) => {
    const usd = price.usd_per_million[kind];
    return usd === undefined ? [] : [`${kind.replace('_', ' ')} $${usd}`];
  });
  const above = price.tiers
    .map(({ above_input_tokens }) => `, another rate above ${above_input_tokens} tokens`)
    .join('');
  const from = own_price === null ? `the price table ${price.version}` : 'its config';
  return `${figures.join(', ')} per million tokens${above} (${from})`;
}

/** The longest answer to a call that asks for no limit. */
export function describeOutput({ max_output_tokens: tokens, max_output_from: from }: Model): string {
  if (from === 'default')
    return `unknown: under a budget a call that asks for none gets ${tokens} tokens; say it: \`max_output_tokens\` of its config`;
  return `${tokens} tokens (${from === 'config' ? 'its config' : 'published by its vendor'})`;
}

export function testLines(name: string, tests: readonly ModelTest[]): View {
  return tests.map(({ works, message, base_url }) =>
    line(
      works ? good('✓ ') : bad('✗ '),
      tests.length === 1 ? `${name}: ${message}` : `${name} at ${base_url}: ${message}`,
    ),
  );
}

export function rate(price: ModelPrice | null, kind: string): Cell {
  const usd = price?.usd_per_million[kind];
  return usd === undefined ? null : `$${usd}`;
}

function stateOf(model: Model): Cell {
  const { state, why } = stateOfModel(model, Date.now());
  const words = state.replaceAll('_', ' ') + (why === undefined ? '' : `: ${why}`);
  if (state === 'ready') return good(words);
  if (state === 'untested') return `untested: svc model test ${model.name}`;
  return ['partly_paused', 'no_price', 'failing'].includes(state) ? warn(words) : bad(words);
}

function stateOfOne(upstream: ModelUpstream): Cell {
  const { state } = stateOfUpstream(upstream, Date.now());
  if (state === 'not_called_yet') return 'not called yet';
  if (state === 'failing') return warn(`${upstream.health?.failures ?? 0} failed`);
  return state === 'ready' ? good('ready') : bad(state.replaceAll('_', ' '));
}
