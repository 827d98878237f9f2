import { roles } from '@gantry/contract/roles.ts';
import { choice, defineCommand, required } from '../../command.ts';
import { readUser } from '../../principals/principal.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'team add',
  summary: 'Add a user to a team, or change their role in it',
  needs: 'member.add',
  examples: ['svc team add ml user:ada@example.com --role contributor', 'svc team add ml user:grace@example.com'],
  arguments: { team: required('The team', 'team'), principal: required('user:<e-mail>') },
  flags: { role: choice('Their role in this team, default viewer', roles) },
  async run({ team, principal, role = 'viewer' }, session) {
    const user = readUser(principal);
    const before = (await session.call('teams.show', { params: { team } })).members.find(
      (member) => member.principal === user,
    )?.role;
    const changed = await session.call('teams.add_member', { params: { team }, body: { principal: user, role } });
    return {
      data: changed,
      view: [
        line(
          good('✓ '),
          before === undefined
            ? `${user} is in team ${team} as ${role}`
            : `${user} is now ${role} in team ${team}, not ${before}`,
        ),
      ],
      undo: before === undefined ? `svc team remove ${team} ${user}` : `svc team add ${team} ${user} --role ${before}`,
    };
  },
});
