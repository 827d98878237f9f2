import { defineCommand, required } from '../../command.ts';
import { assetsToFlag } from '../../principals/people.ts';
import { readUser } from '../../principals/principal.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'team remove',
  summary: 'Remove a user from a team',
  needs: 'member.remove',
  examples: [
    'svc team remove ml user:ada@example.com',
    'svc team remove ml user:ada@example.com --assets-to grace@example.com',
  ],
  arguments: { team: required('The team', 'team'), principal: required('user:<e-mail>') },
  flags: { assetsTo: assetsToFlag },
  async run({ team, principal, assetsTo }, session) {
    const user = readUser(principal);
    const before = (await session.call('teams.show', { params: { team } })).members.find(
      (member) => member.principal === user,
    )?.role;
    await session.call('teams.remove_member', {
      params: { team, principal: user },
      query: assetsTo === undefined ? {} : { assets_to: assetsTo },
    });
    return {
      data: { team, principal: user, removed: true },
      view: [line(good('✓ '), `${user} is no longer in team ${team}`)],
      ...(before === undefined ? {} : { undo: `svc team add ${team} ${user} --role ${before}` }),
    };
  },
});
