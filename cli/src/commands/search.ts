import { assetKinds } from '@gantry/contract/roles.ts';
import { choice, defineCommand, rest } from '../command.ts';
import { listAssets } from '../registry/describe-asset.ts';
import { limitFlag, takePages } from '../pages.ts';

export const command = defineCommand({
  words: 'search',
  summary: 'Find agents and other assets by name, description, tags, team and framework',
  needs: 'asset.list',
  examples: ['svc search greet', 'svc search customer support --kind agent', 'svc search greet --team ml'],
  arguments: { words: rest('The words to search for') },
  flags: { kind: choice('Only this kind', assetKinds), limit: limitFlag },
  async run({ words, kind, limit }, session) {
    const wanted = words.join(' ');
    const { team } = session.globals;
    const filters = { ...(kind === undefined ? {} : { kind }), ...(team === undefined ? {} : { team }) };
    const assets = await takePages(session, limit, (query) =>
      session.call('registry.search', { query: { ...query, q: wanted, ...filters } }),
    );
    return {
      data: assets,
      view: [listAssets(assets, `Nothing that you may read matches "${wanted}". All agents: svc registry agent list`)],
    };
  },
});
