import { Problem } from '@gantry/contract/problems.ts';
import { defineCommand, required } from '../../command.ts';
import { findGroup } from '../../principals/people.ts';
import { readUser } from '../../principals/principal.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'group remove',
  summary: 'Remove a user from a group',
  needs: 'group.change',
  examples: ['svc group remove oncall user:ada@example.com', 'svc group remove oncall ada@example.com --json'],
  arguments: { group: required('The group'), user: required('user:<e-mail>') },
  flags: {},
  async run({ group: given, user }, session) {
    const who = readUser(user);
    const group = await findGroup(session, given);
    const member = group.members.find(({ email }) => `user:${email}` === who);
    if (member === undefined) throw new Problem('not_found', { detail: `${who} is not in group:${group.name}.` });
    await session.call('groups.remove_member', { params: { id: group.id, member_id: member.id } });
    return {
      data: { group: group.name, principal: who, removed: true },
      view: [line(good('✓ '), `${who} is no longer in group:${group.name}`)],
      undo: `svc group add ${group.name} ${who}`,
    };
  },
});
