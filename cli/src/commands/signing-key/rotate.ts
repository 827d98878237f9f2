import { defineCommand } from '../../command.ts';
import { table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'signing-key rotate',
  summary: 'Sign tokens for MCP servers with the next key; the former one stays published for a day',
  needs: 'signing_key.rotate',
  examples: ['svc signing-key rotate', 'svc signing-key rotate --json'],
  arguments: {},
  flags: {},
  async run(_input, session) {
    const keys = await session.call('signing_keys.rotate', {});
    return {
      data: keys,
      view: [
        table(
          ['key', 'state', 'made', 'signs since'],
          keys.map(({ kid, state, made_at, signs_since }) => [kid, state, time(made_at), time(signs_since)]),
          'No keys.',
        ),
      ],
    };
  },
});
