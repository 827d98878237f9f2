import { defineCommand } from '../../../command.ts';
import { rate } from '../../../model/describe-model.ts';
import { limitFlag, takePages } from '../../../pages.ts';
import { prose, table, warn } from '../../../view/view.ts';

export const command = defineCommand({
  words: 'model price list',
  summary: 'The price of each model in USD per million tokens, its own or that of the table, with its version',
  needs: 'asset.list',
  examples: ['svc model price list', 'svc model price list --team ml --json'],
  arguments: {},
  flags: { limit: limitFlag },
  async run({ limit }, session) {
    const { team } = session.globals;
    const models = await takePages(session, limit, (query) =>
      session.call('models.list', { query: { ...query, ...(team === undefined ? {} : { team }) } }),
    );
    return {
      data: models.map(({ name, price, own_price, table_price }) => ({ name, price, own_price, table_price })),
      view: [
        table(
          ['model', 'input', 'cached input', 'cache write', 'output', 'price', 'table', prose('version')],
          models.map(({ name, price, own_price, table_price }) => [
            name,
            rate(price, 'input'),
            rate(price, 'cached_input'),
            rate(price, 'cache_write'),
            rate(price, 'output'),
            price === null ? warn('unknown') : own_price === null ? 'table' : 'own',
            table_price === null
              ? null
              : `${table_price.usd_per_million['input'] ?? '-'} / ${table_price.usd_per_million['output'] ?? '-'}`,
            price?.version ?? null,
          ]),
          'No models yet. Add one: svc model add gpt-4o --provider openai',
        ),
      ],
    };
  },
});
