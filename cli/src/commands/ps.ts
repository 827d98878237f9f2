import { listAgents, listFlags } from '../agent/list-agents.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  words: 'ps',
  summary: 'The same as svc list',
  needs: 'deployment.list',
  examples: ['svc ps', 'svc ps --json'],
  arguments: {},
  flags: listFlags,
  run: listAgents,
});
