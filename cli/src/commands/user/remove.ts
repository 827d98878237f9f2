import { defineCommand, required } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { assetsToFlag, findUser } from '../../principals/people.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'user remove',
  summary: 'Remove a user for good: sessions, teams, groups and entries end; the log keeps their name',
  needs: 'user.remove',
  examples: ['svc user remove ada@example.com', 'svc user remove ada@example.com --assets-to grace@example.com --yes'],
  arguments: { email: required('Their e-mail address') },
  flags: { assetsTo: assetsToFlag, yes: yesFlag },
  async run({ email, assetsTo, yes }, session) {
    const user = await findUser(session, email);
    const places = user.teams.map(({ name }) => name).join(', ') || 'no team';
    await confirmFinal(session, {
      yes,
      deed: `Remove ${user.email} (${user.role}, in ${places}) for good`,
      otherwise: `${user.email} was not removed`,
    });
    await session.call('users.remove', {
      params: { id: user.id },
      query: assetsTo === undefined ? {} : { assets_to: assetsTo },
    });
    return {
      data: { user: user.email, removed: true },
      view: [line(good('✓ '), `${user.email} is removed; a later user with this address is a new user`)],
    };
  },
});
