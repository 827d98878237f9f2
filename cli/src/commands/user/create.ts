import { roles } from '@gantry/contract/roles.ts';
import { choice, defineCommand, required, text } from '../../command.ts';
import { describeAdmission, printPasswordFlag } from '../../principals/describe-admission.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'user create',
  summary: 'Create a user: invited by mail where mail is set up, otherwise with a one-time password, printed once',
  needs: 'user.create',
  examples: ['svc user create ada@example.com', 'svc user create grace@example.com --name "Grace H" --role deployer'],
  arguments: { email: required('The e-mail address they sign in with') },
  flags: {
    name: text('Their name', 'name'),
    role: choice('Their role on the whole platform, default viewer', roles),
    printPassword: printPasswordFlag,
  },
  async run({ email, name, role, printPassword }, session) {
    const user = await session.call('users.create', {
      body: {
        email,
        ...(name === undefined ? {} : { name }),
        ...(role === undefined ? {} : { role }),
        one_time_password: printPassword,
      },
    });
    return {
      data: user,
      view: [line(good('✓ '), `${user.email} exists as ${user.role}`), ...describeAdmission(user)],
      next: [{ command: `svc team add <team> user:${user.email} --role contributor`, when: 'to put them in a team' }],
    };
  },
});
