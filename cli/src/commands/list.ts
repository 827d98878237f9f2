import { listAgents, listFlags } from '../agent/list-agents.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  words: 'list',
  summary: 'The agents that you may read, each with its state, version and endpoint',
  needs: 'deployment.list',
  examples: ['svc list', 'svc list --state failed --json', 'svc list --text "greeting" --team ml'],
  arguments: {},
  flags: listFlags,
  run: listAgents,
});
