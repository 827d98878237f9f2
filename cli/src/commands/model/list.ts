import { defineCommand } from '../../command.ts';
import { listOfModels } from '../../model/describe-model.ts';
import { limitFlag, takePages } from '../../pages.ts';

export const command = defineCommand({
  words: 'model list',
  summary: 'The models of your teams, and published ones: price per million tokens, and state of the upstreams',
  needs: 'asset.list',
  examples: ['svc model list', 'svc model list --team ml --json'],
  arguments: {},
  flags: { limit: limitFlag },
  async run({ limit }, session) {
    const { team } = session.globals;
    const models = await takePages(session, limit, (query) =>
      session.call('models.list', { query: { ...query, ...(team === undefined ? {} : { team }) } }),
    );
    return { data: models, view: [listOfModels(models)] };
  },
});
