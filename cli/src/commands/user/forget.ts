import { defineCommand, required } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { findUser } from '../../principals/people.ts';
import { fields, good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'user forget',
  summary:
    'Erase what agents and calls keep of a user: threads, items, answers, texts of traces. The log keeps who did what',
  needs: 'user.forget',
  examples: ['svc user forget ada@example.com', 'svc user forget ada@example.com --yes --json'],
  arguments: { email: required('Their e-mail address; your own, or as a platform admin that of anybody') },
  flags: { yes: yesFlag },
  async run({ email, yes }, session) {
    const me = await session.call('auth.me', {});
    const { id } = me.email === email.toLowerCase() ? me : await findUser(session, email);
    await confirmFinal(session, {
      yes,
      deed: `Erase the threads, items, stored answers and texts of traces of ${email}, with all agents, for good. Items that callers share go too where ${email} wrote them`,
      otherwise: `nothing of ${email} was erased`,
    });
    const receipt = await session.call('threads.forget_user', { params: { id }, body: {} });
    return {
      data: receipt,
      view: [
        line(good('✓ '), `${receipt.user} is forgotten; the receipt is ${receipt.entry ?? 'in the log'}`),
        fields(
          Object.fromEntries(Object.entries(receipt.erased).map(([what, count]) => [what.replaceAll('_', ' '), count])),
        ),
      ],
    };
  },
});
