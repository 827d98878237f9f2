import { roles } from '@gantry/contract/roles.ts';
import { choice, defineCommand, required, text } from '../../command.ts';
import { findUser } from '../../principals/people.ts';
import { misuse } from '../../refusal.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'user update',
  summary: 'Change the name or the platform role of a user; takes effect on their next request',
  needs: 'user.change',
  examples: [
    'svc user update ada@example.com --role deployer',
    'svc user update ada@example.com --name "Ada Lovelace"',
  ],
  arguments: { email: required('Their e-mail address') },
  flags: { name: text('Their name', 'name'), role: choice('Their role on the whole platform', roles) },
  async run({ email, name, role }, session) {
    if (name === undefined && role === undefined) throw misuse('Nothing to change', 'Give --name or --role.');
    const before = await findUser(session, email);
    const changes = { ...(name === undefined ? {} : { name }), ...(role === undefined ? {} : { role }) };
    const user = await session.call('users.update', { params: { id: before.id }, body: changes });
    const back = [
      ...(user.role === before.role ? [] : [`--role ${before.role}`]),
      ...(user.name === before.name ? [] : [`--name ${JSON.stringify(before.name)}`]),
    ];
    return {
      data: user,
      view: [line(good('✓ '), `${user.email} is ${user.name}, ${user.role} on the platform`)],
      ...(back.length === 0 ? {} : { undo: `svc user update ${user.email} ${back.join(' ')}` }),
    };
  },
});
