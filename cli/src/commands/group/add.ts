import { defineCommand, required } from '../../command.ts';
import { findGroup } from '../../principals/people.ts';
import { readUser } from '../../principals/principal.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'group add',
  summary: "Add a user of the group's team",
  needs: 'group.change',
  examples: ['svc group add oncall user:ada@example.com', 'svc group add oncall ada@example.com --json'],
  arguments: { group: required('The group'), user: required('user:<e-mail>') },
  flags: {},
  async run({ group: given, user }, session) {
    const who = readUser(user);
    const { id } = await findGroup(session, given);
    const group = await session.call('groups.add_member', {
      params: { id },
      body: { email: who.slice('user:'.length) },
    });
    return {
      data: group,
      view: [line(good('✓ '), `${who} is in group:${group.name}`)],
      undo: `svc group remove ${group.name} ${who}`,
    };
  },
});
