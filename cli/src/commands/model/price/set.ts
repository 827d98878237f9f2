import { defineCommand, required, text, toggle } from '../../../command.ts';
import { applyModel } from '../../../model/apply-model.ts';
import { describePrice } from '../../../model/describe-model.ts';
import { misuse } from '../../../refusal.ts';
import { suggestAsset } from '../../../registry/named.ts';
import { checkedConfig } from '../../../registry/typed-config.ts';
import type { Result } from '../../../result.ts';
import { good, line } from '../../../view/view.ts';

const usd = (summary: string) => text(`${summary}, USD per million tokens, such as 2.50`, 'usd');

export const command = defineCommand({
  words: 'model price set',
  summary: 'Give a model a price of its own, as a new version of its config; calls under way keep the old one',
  needs: 'asset.write',
  examples: [
    'svc model price set large --input 2.50 --cached-input 0.25 --output 10',
    'svc model price set gpt-4o --table',
  ],
  arguments: { name: required('Its name', 'model') },
  flags: {
    input: usd('Input'),
    cachedInput: usd('Input from the cache (default: as input)'),
    cacheWrite: usd('Input that enters the cache (default: as input)'),
    output: usd('Output'),
    table: toggle('The price of the price table counts again'),
  },
  async run({ name, input, cachedInput, cacheWrite, output, table }, session): Promise<Result> {
    const params = { kind: 'model', name } as const;
    const before = await suggestAsset(session, 'model', name, () => session.call('registry.show', { params }));
    const { price_usd_per_million: had, ...others } = before.config ?? {};
    if (table === (input !== undefined)) throw misuse('Either --input or --table is needed');
    const price = { input, cached_input: cachedInput, cache_write: cacheWrite, output };
    const wanted = JSON.stringify({ ...others, ...(table ? {} : { price_usd_per_million: price }) });
    const { config } = await checkedConfig('model', wanted, `models/${name}`);
    const applied = await applyModel(session, { name, team: before.team, config });
    const model = await session.call('models.show', { params: { name } });
    return {
      data: model,
      view: [
        line(
          good('✓ '),
          `models/${name}@${model.version} ${applied === 'unchanged' ? 'already costs' : 'costs'} ${describePrice(model)}`,
        ),
      ],
      undo: inverse(name, had),
    };
  },
});

function inverse(name: string, had: unknown): string {
  const words = `svc model price set ${name}`;
  if (typeof had !== 'object' || had === null) return `${words} --table`;
  const flags = Object.entries(had).map(([kind, figure]) => `--${kind.replace('_', '-')} ${String(figure)}`);
  return `${words} ${flags.join(' ')}`;
}
