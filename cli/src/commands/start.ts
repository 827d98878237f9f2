import { agentArgument, suggestAgent } from '../agent/agent-name.ts';
import { defineCommand } from '../command.ts';
import { good, line } from '../view/view.ts';

export const command = defineCommand({
  words: 'start',
  summary: 'Start a stopped agent',
  needs: 'agent.operate',
  examples: ['svc start greeter', 'svc start greeter --json'],
  arguments: { name: agentArgument },
  flags: {},
  async run({ name }, session) {
    const agent = await suggestAgent(session, name, () => session.call('agents.start', { params: { name } }));
    return { data: agent, view: [line(good('✓ '), `${name} answers again`)], undo: `svc stop ${name}` };
  },
});
