import { agentArgument } from '../agent/agent-name.ts';
import { operateAgent } from '../agent/operate-agent.ts';
import { targetFlag } from '../agent/target-flag.ts';
import { defineCommand } from '../command.ts';
import { good, line } from '../view/view.ts';

export const command = defineCommand({
  words: 'restart',
  summary: 'Replace the containers of an agent by new ones; no call fails',
  needs: 'agent.operate',
  examples: ['svc restart greeter', 'svc restart greeter --json'],
  arguments: { name: agentArgument },
  flags: { target: targetFlag },
  async run({ name, target }, session) {
    const ended = await operateAgent(session, name, () =>
      session.call('agents.restart', { params: { name }, query: { target } }),
    );
    return { data: ended, view: [line(good('✓ '), `${name} was restarted`)] };
  },
});
