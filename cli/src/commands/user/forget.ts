import { defineCommand, required, toggle } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { accountsOf } from '../../principals/people.ts';
import { fields, good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'user forget',
  summary:
    'Erase what agents and calls keep of a user: threads, items, answers, texts of traces. The log keeps who did what',
  needs: 'user.forget',
  examples: [
    'svc user forget ada@example.com',
    'svc user forget ada@example.com --removed',
    'svc user forget ada@example.com --yes --json',
  ],
  arguments: { email: required('Their e-mail address; your own, or as a platform admin that of anybody') },
  flags: {
    removed: toggle('Not the user who has the address now, but those who had it and were removed'),
    yes: yesFlag,
  },
  async run({ email, removed, yes }, session) {
    const me = await session.call('auth.me', {});
    const isOwn = me.email === email.toLowerCase() && !removed;
    const accounts = isOwn ? { ids: [me.id], are_removed: false } : await accountsOf(session, email, removed);
    const whom = accounts.are_removed ? `${email}, who was removed` : email;
    await confirmFinal(session, {
      yes,
      deed: `Erase the threads, items, stored answers and texts of traces of ${whom}, with all agents, for good. Items that callers share go too where ${email} wrote them`,
      otherwise: `nothing of ${email} was erased`,
    });
    const receipts = [];
    for (const id of accounts.ids)
      receipts.push(await session.call('threads.forget_user', { params: { id }, body: {} }));
    return {
      data: receipts,
      view: receipts.flatMap(({ user, erased, entry }) => [
        line(good('✓ '), `${user} is forgotten; the receipt is ${entry ?? 'in the log'}`),
        fields(Object.fromEntries(Object.entries(erased).map(([what, count]) => [what.replaceAll('_', ' '), count]))),
      ]),
    };
  },
});
