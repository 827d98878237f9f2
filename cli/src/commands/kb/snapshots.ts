import { defineCommand } from '../../command.ts';
import { baseArgument } from '../../knowledge/asset.ts';
import { failureOf } from '../../knowledge/describe-upkeep.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'kb snapshots',
  summary: 'The snapshots of a knowledge base, the newest first',
  needs: 'asset.read',
  examples: ['svc kb snapshots handbook', 'svc kb snapshots handbook --json'],
  arguments: { base: baseArgument },
  flags: { limit: limitFlag },
  async run({ base: name, limit }, session) {
    const rows = await takePages(session, limit, (query) =>
      session.call('knowledge.snapshots', { params: { name }, query }),
    );
    const cells = rows.map((one) => [
      one.number,
      one.serves ? 'serves' : null,
      one.documents,
      one.failures,
      one.added === null ? null : `+${one.added} ~${one.changed} -${one.removed}`,
      one.version,
      one.made_by,
      time(one.made_at),
    ]);
    const columns = ['snapshot', '', 'documents', 'not read', 'difference', 'config', 'by', 'made'];
    const { last } = await session.call('knowledge.upkeep', { params: { name } });
    return { data: rows, view: [table(columns, cells, `It has none: svc kb refresh ${name}`), ...failureOf(last)] };
  },
});
