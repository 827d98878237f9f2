import { defineCommand, required, text } from '../../command.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { readNamed } from '../../registry/named.ts';
import { faint, line, prose, table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'prompt labels',
  summary: 'The labels of a prompt with the version that each means, and the moves of them',
  needs: 'asset.read',
  examples: ['svc prompt labels greeting', 'svc prompt labels greeting --label production --json'],
  arguments: { prompt: required('Its name', 'prompt') },
  flags: { label: text('Only the moves of this label', 'label'), limit: limitFlag },
  async run({ prompt, label, limit }, session) {
    const { name } = readNamed('prompt', prompt);
    const labels = await session.call('prompts.labels', { params: { name } });
    const moves = await takePages(session, limit, (query) =>
      session.call('prompts.label_moves', {
        params: { name },
        query: { ...query, ...(label !== undefined && { label }) },
      }),
    );
    return {
      data: { labels, moves },
      view: [
        table(
          ['Label', 'Means', 'Since', prose('By')],
          labels.map((one) => [one.label, one.version, time(one.moved_at), one.moved_by]),
          `No labels yet. Make one: svc prompt label ${name} production <version>`,
        ),
        ...(moves.length === 0 ? [] : [line(faint('Moves'))]),
        ...(moves.length === 0
          ? []
          : [
              table(
                ['Label', 'From', 'To', 'When', prose('By')],
                moves.map((one) => [one.label, one.from_version ?? '-', one.version, time(one.moved_at), one.moved_by]),
                '',
              ),
            ]),
      ],
    };
  },
});
