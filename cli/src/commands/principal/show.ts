import { defineCommand, required } from '../../command.ts';
import { describePrincipal, warnAboutOldKeys } from '../../principals/describe-principal.ts';
import { findPrincipal } from '../../principals/people.ts';

export const command = defineCommand({
  words: 'principal show',
  summary: 'A service principal with its allowed assets and its keys',
  needs: 'principal.read',
  examples: ['svc principal show ci', 'svc principal show ci --json'],
  arguments: { name: required('The service principal') },
  flags: {},
  async run({ name }, session) {
    const principal = await findPrincipal(session, name);
    warnAboutOldKeys(session.output, [principal]);
    return { data: principal, view: describePrincipal(principal) };
  },
});
