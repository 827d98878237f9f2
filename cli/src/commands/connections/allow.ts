import { defineCommand } from '../../command.ts';
import { askArgument, decideOnAsk } from '../../connections/decide-ask.ts';

export const command = defineCommand({
  words: 'connections allow',
  summary: 'Let an agent act in your name at an MCP server, with the tools that it asks for',
  needs: 'connection.change',
  examples: [
    'svc connections allow 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
    'svc connections allow 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --json',
  ],
  arguments: { id: askArgument },
  flags: {},
  run: async ({ id }, session) => await decideOnAsk(session, id, 'allow'),
});
