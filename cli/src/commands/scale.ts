import { agentArgument } from '../agent/agent-name.ts';
import { operateAgent } from '../agent/operate-agent.ts';
import { targetFlag } from '../agent/target-flag.ts';
import { defineCommand, needed, whole } from '../command.ts';
import { good, line } from '../view/view.ts';

export const command = defineCommand({
  words: 'scale',
  summary: 'Set the number of containers of an agent, within its approved deploy.scaling',
  needs: 'agent.operate',
  examples: ['svc scale greeter 3', 'svc scale greeter 1 --json'],
  arguments: {
    name: agentArgument,
    instances: { ...needed(whole('The number of containers', 'number', { least: 0, most: 1000 })), required: true },
  },
  flags: { target: targetFlag },
  async run({ name, instances, target }, session) {
    const body = { instances };
    const ended = await operateAgent(session, name, () =>
      session.call('agents.scale', { params: { name }, query: { target }, body }),
    );
    return {
      data: ended,
      view: [line(good('✓ '), `${name} has ${instances} ${instances === 1 ? 'container' : 'containers'}`)],
    };
  },
});
