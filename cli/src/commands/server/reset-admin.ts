import { defineCommand } from '../../command.ts';
import { runServerProgram } from '../../server/server-process.ts';
import { good, line, strong, warn } from '../../view/view.ts';

export const command = defineCommand({
  words: 'server reset-admin',
  summary: 'Give the first admin a new one-time password, when no admin can sign in; the audit log records it',
  needs: 'this machine',
  examples: ['svc server reset-admin', 'svc server reset-admin --json'],
  arguments: {},
  flags: {},
  async run(_input, session) {
    const printed = await runServerProgram(session, ['reset-admin']);
    const { admin_email, one_time_password } = JSON.parse(printed) as {
      admin_email: string;
      one_time_password: string;
    }; // the output of `reset-admin`
    return {
      data: { admin_email, one_time_password },
      view: [
        line(good('✓ '), `${admin_email} has a one-time password: `, strong(one_time_password)),
        line(warn('shown once; must be changed at the first sign-in')),
      ],
      next: [{ command: `svc login --email ${admin_email}`, when: 'to sign in with it and choose a new one' }],
    };
  },
});
