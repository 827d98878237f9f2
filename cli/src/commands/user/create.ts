import { roles } from '@gantry/contract/roles.ts';
import { choice, defineCommand, required, text } from '../../command.ts';
import { good, line, strong, warn } from '../../view/view.ts';

export const command = defineCommand({
  words: 'user create',
  summary: 'Create a user; prints a one-time password, once',
  needs: 'user.create',
  examples: ['svc user create ada@example.com', 'svc user create grace@example.com --name "Grace H" --role deployer'],
  arguments: { email: required('The e-mail address they sign in with') },
  flags: {
    name: text('Their name', 'name'),
    role: choice('Their role on the whole platform; viewer unless told', roles),
  },
  async run({ email, name, role }, session) {
    const user = await session.call('users.create', {
      body: { email, ...(name === undefined ? {} : { name }), ...(role === undefined ? {} : { role }) },
    });
    return {
      data: user,
      view: [
        line(good('✓ '), `${user.email} exists as ${user.role}`),
        ...(user.one_time_password === undefined ? [] : [passwordLine(user.one_time_password)]),
      ],
      next: [{ command: `svc team add <team> user:${user.email} --role contributor`, when: 'to put them in a team' }],
    };
  },
});

function passwordLine(password: string) {
  return line(
    '  one-time password  ',
    strong(password),
    '  ',
    warn('shown once; must be changed at the first sign-in'),
  );
}
