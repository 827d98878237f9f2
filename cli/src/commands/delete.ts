import { agentArgument } from '../agent/agent-name.ts';
import { defineCommand } from '../command.ts';
import { yesFlag } from '../input/confirm-final.ts';

export const command = defineCommand({
  words: 'delete',
  summary: 'Stop an agent and remove it from the registry; its audit entries stay',
  needs: 'asset.delete',
  examples: ['svc delete greeter', 'svc delete greeter --yes'],
  arguments: { name: agentArgument },
  flags: { yes: yesFlag },
  async run({ name, yes }, session) {
    const { deleteAgent } = await import('../registry/delete-agent.ts');
    return await deleteAgent(session, name, yes);
  },
});
