import { agentArgument } from '../agent/agent-name.ts';
import { operateAgent } from '../agent/operate-agent.ts';
import { printTargetFlag, targetFlag } from '../agent/target-flag.ts';
import { defineCommand } from '../command.ts';
import { good, line } from '../view/view.ts';

export const command = defineCommand({
  words: 'start',
  summary: 'Start a stopped agent',
  needs: 'agent.operate',
  examples: ['svc start greeter', 'svc start greeter --json'],
  arguments: { name: agentArgument },
  flags: { target: targetFlag },
  async run({ name, target }, session) {
    const ended = await operateAgent(session, name, () =>
      session.call('agents.start', { params: { name }, query: { target } }),
    );
    return {
      data: ended,
      view: [line(good('✓ '), `${name} answers again`)],
      undo: `svc stop ${name}${printTargetFlag(target)}`,
    };
  },
});
