import { suggestAgent } from '../agent-name.ts';
import { defineCommand, required, toggle } from '../command.ts';
import { Refusal } from '../refusal.ts';
import { good, line } from '../view/view.ts';

export const command = defineCommand({
  words: 'delete',
  summary: 'Stop an agent and remove it from the registry; its audit entries stay',
  needs: 'asset.delete',
  examples: ['svc delete greeter', 'svc delete greeter --yes'],
  arguments: { name: required('The agent') },
  flags: { yes: toggle('Do not ask', 'y') },
  async run({ name, yes }, session) {
    const agent = await suggestAgent(session, name, () => session.call('agents.status', { params: { name } }));
    const question = `Delete ${name} (${agent.state}${agent.ref === null ? '' : `, ${agent.ref}`}) with all of its versions? This cannot be undone.`;
    if (!yes && !(await session.prompt.confirm(question, '--yes')))
      throw new Refusal('declined', `${name} was not deleted`);
    await session.call('agents.delete', { params: { name } });
    return { data: { name, deleted: true }, view: [line(good('✓ '), `${name} is deleted`)] };
  },
});
