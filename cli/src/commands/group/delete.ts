import { defineCommand, required } from '../../command.ts';
import { findGroup } from '../../people.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'group delete',
  summary: 'Delete a group; what was granted to it goes with it',
  needs: 'group.change',
  examples: ['svc group delete oncall', 'svc group delete oncall --json'],
  arguments: { name: required('The group') },
  flags: {},
  async run({ name }, session) {
    const group = await findGroup(session, name);
    await session.call('groups.delete', { params: { id: group.id } });
    return {
      data: { group: group.name, deleted: true },
      view: [line(good('✓ '), `There is no group:${group.name} any more, and nothing is granted to it`)],
    };
  },
});
