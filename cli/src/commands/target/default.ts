import { agentArgument, suggestAgent } from '../../agent/agent-name.ts';
import { defineCommand, required } from '../../command.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'target default',
  summary: 'Make a target of an agent its default one: new calls go there, and no call fails',
  needs: 'agent.operate',
  examples: ['svc target default greeter local', 'svc target default greeter local --json'],
  arguments: { name: agentArgument, target: required('The target; the agent is deployed on it') },
  flags: {},
  async run({ name, target }, session) {
    const params = { name };
    const before = await suggestAgent(session, name, () => session.call('agents.status', { params }));
    const after = await suggestAgent(session, name, () =>
      session.call('agents.set_target', { params, body: { target } }),
    );
    return {
      data: after.targets,
      view: [line(good('✓ '), `New calls to ${name} go to ${target}`)],
      ...(before.target === null || before.target === target
        ? {}
        : { undo: `svc target default ${name} ${before.target}` }),
    };
  },
});
