import { defineCommand } from '../../command.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { bad, good, prose, table, warn } from '../../view/view.ts';

export const command = defineCommand({
  words: 'webhook list',
  summary: 'The webhooks, and whether their deliveries arrive',
  needs: 'webhook.read',
  examples: ['svc webhook list', 'svc webhook list --json'],
  arguments: {},
  flags: { limit: limitFlag },
  async run({ limit }, session) {
    const webhooks = await takePages(session, limit, (query) => session.call('webhooks.list', { query }));
    return {
      data: webhooks,
      view: [
        table(
          ['webhook', prose('events'), 'sends to', prose('state'), 'given up'],
          webhooks.map(({ name, events, url, last_problem, dead }) => [
            name,
            events.join(', '),
            url,
            last_problem === null ? good('ok') : warn(last_problem),
            dead === 0 ? null : bad(String(dead)),
          ]),
          'No webhooks yet. Create one: svc webhook create <name> --url https://… --events approval.*',
        ),
      ],
    };
  },
});
