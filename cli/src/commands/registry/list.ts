import type { AssetKind } from '@gantry/contract/roles.ts';
import { defineCommand } from '../../command.ts';
import { listAssets } from '../../registry/describe-asset.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { kinds } from '../../registry/kinds.ts';

export function commandFor(kind: AssetKind) {
  const { plural, first } = kinds[kind];
  return defineCommand({
    words: `registry ${kind} list`,
    summary: `The ${plural} of your teams, and published ones`,
    needs: 'asset.list',
    examples: [`svc registry ${kind} list`, `svc registry ${kind} list --team ml --json`],
    arguments: {},
    flags: { limit: limitFlag },
    async run({ limit }, session) {
      const team = session.globals.team;
      const assets = await takePages(session, limit, (query) =>
        session.call('registry.list', {
          params: { kind },
          query: { ...query, ...(team === undefined ? {} : { team }) },
        }),
      );
      return {
        data: assets,
        view: [listAssets(assets, `No ${plural} yet. Create one: ${first}`)],
      };
    },
  });
}
