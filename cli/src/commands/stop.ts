import { agentArgument, suggestAgent } from '../agent/agent-name.ts';
import { defineCommand } from '../command.ts';
import { good, line } from '../view/view.ts';

export const command = defineCommand({
  words: 'stop',
  summary: 'Stop an agent; it stays registered',
  needs: 'agent.operate',
  examples: ['svc stop greeter', 'svc stop greeter --json'],
  arguments: { name: agentArgument },
  flags: {},
  async run({ name }, session) {
    const agent = await suggestAgent(session, name, () => session.call('agents.stop', { params: { name } }));
    return { data: agent, view: [line(good('✓ '), `${name} is stopped`)], undo: `svc start ${name}` };
  },
});
