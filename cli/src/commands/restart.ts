import { agentArgument, suggestAgent } from '../agent/agent-name.ts';
import { defineCommand } from '../command.ts';
import { good, line } from '../view/view.ts';

export const command = defineCommand({
  words: 'restart',
  summary: 'Restart an agent in place',
  needs: 'agent.operate',
  examples: ['svc restart greeter', 'svc restart greeter --json'],
  arguments: { name: agentArgument },
  flags: {},
  async run({ name }, session) {
    const agent = await suggestAgent(session, name, () => session.call('agents.restart', { params: { name } }));
    return { data: agent, view: [line(good('✓ '), `${name} was restarted`)] };
  },
});
