import { agentArgument, suggestAgent } from '../agent/agent-name.ts';
import { operateAgent } from '../agent/operate-agent.ts';
import { printTargetFlag, targetFlag } from '../agent/target-flag.ts';
import { defineCommand, needed, whole } from '../command.ts';
import { count } from '../view/count.ts';
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
    const before = await suggestAgent(session, name, () => session.call('agents.status', { params: { name } }));
    const body = { instances };
    const ended = await operateAgent(session, name, () =>
      session.call('agents.scale', { params: { name }, query: { target }, body }),
    );
    return {
      data: ended,
      view: [line(good('✓ '), `${name} has ${count(instances, 'container')}`)],
      // The status is of the default target.
      ...(target === undefined || target === before.target
        ? { undo: `svc scale ${name} ${before.instances.length}${printTargetFlag(target)}` }
        : {}),
    };
  },
});
