import { defineCommand } from '../../command.ts';
import { baseArgument } from '../../knowledge/asset.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { sizeOf } from '../../thread/describe-thread.ts';
import { table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'kb uploads',
  summary: 'The files that were uploaded to a knowledge base, by path',
  needs: 'asset.write',
  examples: ['svc kb uploads handbook', 'svc kb uploads handbook --json'],
  arguments: { base: baseArgument },
  flags: { limit: limitFlag },
  async run({ base: name, limit }, session) {
    const rows = await takePages(session, limit, (query) =>
      session.call('knowledge.uploads', { params: { name }, query }),
    );
    const cells = rows.map(({ path, bytes, uploaded_at }) => [path, sizeOf(bytes), time(uploaded_at)]);
    const columns = ['path', 'size', 'uploaded'];
    return { data: rows, view: [table(columns, cells, `It has none: svc kb upload ${name} <file or folder>`)] };
  },
});
