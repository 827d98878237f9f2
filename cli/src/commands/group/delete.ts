import { defineCommand, required } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { findGroup } from '../../principals/people.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'group delete',
  summary: 'Delete a group and its grants',
  needs: 'group.change',
  examples: ['svc group delete oncall', 'svc group delete oncall --yes'],
  arguments: { name: required('The group') },
  flags: { yes: yesFlag },
  async run({ name, yes }, session) {
    const group = await findGroup(session, name);
    await confirmFinal(session, {
      yes,
      deed: `Delete group:${group.name} of team ${group.team} with its grants`,
      otherwise: `group:${group.name} was not deleted`,
    });
    await session.call('groups.delete', { params: { id: group.id } });
    return {
      data: { group: group.name, deleted: true },
      view: [line(good('✓ '), `group:${group.name} and its grants are deleted`)],
    };
  },
});
