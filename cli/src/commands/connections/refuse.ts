import { defineCommand } from '../../command.ts';
import { askArgument, decideOnAsk } from '../../connections/decide-ask.ts';

export const command = defineCommand({
  words: 'connections refuse',
  summary: 'Do not let an agent act in your name; it asks again after a day at the earliest',
  needs: 'connection.change',
  examples: [
    'svc connections refuse 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
    'svc connections refuse 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --json',
  ],
  arguments: { id: askArgument },
  flags: {},
  run: async ({ id }, session) => await decideOnAsk(session, id, 'refuse'),
});
