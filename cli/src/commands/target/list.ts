import { suggestAgent } from '../../agent/agent-name.ts';
import { defineCommand, optional } from '../../command.ts';
import { listOfTargets } from '../../target/describe-target.ts';
import { good, state, table } from '../../view/view.ts';

export const command = defineCommand({
  words: 'target list',
  summary: 'The targets of the service; with an agent, those on which it is deployed, and the one that its calls go to',
  needs: 'target.list',
  examples: ['svc target list', 'svc target list greeter --json'],
  arguments: { agent: optional('An agent') },
  flags: {},
  async run({ agent: name }, session) {
    if (name === undefined) {
      const all = await session.call('targets.list', {});
      return { data: all, view: [listOfTargets(all)] };
    }
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
