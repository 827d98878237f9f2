import { defineCommand, required } from '../../command.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { readNamed } from '../../registry/named.ts';
import { prose, table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'prompt examples',
  summary: 'The stored examples of a prompt: values that it is tried on',
  needs: 'asset.read',
  examples: ['svc prompt examples greeting', 'svc prompt examples greeting --json'],
  arguments: { prompt: required('Its name', 'prompt') },
  flags: { limit: limitFlag },
  async run({ prompt, limit }, session) {
    const { name } = readNamed('prompt', prompt);
    const rows = await takePages(session, limit, (query) =>
      session.call('prompts.examples', { params: { name }, query }),
    );
    return {
      data: rows,
      view: [
        table(
          ['Example', prose('Values'), prose('Expected'), 'Created'],
          rows.map((one) => [one.name, shown(one.variables), one.expected ?? '-', time(one.created_at)]),
          `No examples yet. Store one: svc prompt example add ${name} <example> --var <name>=<value>`,
        ),
      ],
    };
  },
});

const most_shown = 60;

const shown = (variables: Record<string, string>) =>
  Object.entries(variables)
    .map(([variable, value]) => `${variable}=${value.length > most_shown ? `${value.slice(0, most_shown)}…` : value}`)
    .join(', ');
