import { agentArgument } from '../agent/agent-name.ts';
import { operateAgent } from '../agent/operate-agent.ts';
import { printTargetFlag, targetFlag } from '../agent/target-flag.ts';
import { defineCommand } from '../command.ts';
import { good, line } from '../view/view.ts';

export const command = defineCommand({
  words: 'stop',
  summary: 'Stop an agent; it stays registered',
  needs: 'agent.operate',
  examples: ['svc stop greeter', 'svc stop greeter --json'],
  arguments: { name: agentArgument },
  flags: { target: targetFlag },
  async run({ name, target }, session) {
    const ended = await operateAgent(session, name, () =>
      session.call('agents.stop', { params: { name }, query: { target } }),
    );
    return {
      data: ended,
      view: [line(good('✓ '), `${name} is stopped`)],
      undo: `svc start ${name}${printTargetFlag(target)}`,
    };
  },
});
