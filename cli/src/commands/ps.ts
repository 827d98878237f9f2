import { defineCommand } from '../command.ts';
import { limitFlag } from '../pages.ts';
import { listAgents } from './list.ts';

export const command = defineCommand({
  words: 'ps',
  summary: 'The same as svc list',
  needs: 'deployment.list',
  examples: ['svc ps', 'svc ps --json'],
  arguments: {},
  flags: { limit: limitFlag },
  run: async ({ limit }, session) => await listAgents(session, limit),
});
