import { agentArgument, suggestAgent } from '../../agent/agent-name.ts';
import { defineCommand } from '../../command.ts';
import { good, state, table } from '../../view/view.ts';

export const command = defineCommand({
  words: 'target list',
  summary: 'The targets on which an agent is deployed; calls go to the default one',
  needs: 'deployment.read',
  examples: ['svc target list greeter', 'svc target list greeter --json'],
  arguments: { name: agentArgument },
  flags: {},
  async run({ name }, session) {
    const { targets } = await suggestAgent(session, name, () => session.call('agents.status', { params: { name } }));
    const rows = targets.map((one) => [
      one.target,
      state(one.state),
      one.version,
      one.is_default ? good('default') : '',
      one.revision,
    ]);
    return {
      data: targets,
      view: [table(['target', 'state', 'version', 'calls', 'revision'], rows, 'It is not deployed.')],
    };
  },
});
