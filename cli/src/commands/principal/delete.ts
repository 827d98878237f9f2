import { defineCommand, required } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { findPrincipal } from '../../principals/people.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'principal delete',
  summary: 'Delete a service principal, its keys and its grants',
  needs: 'principal.change',
  examples: ['svc principal delete ci', 'svc principal delete ci --yes'],
  arguments: { name: required('The service principal') },
  flags: { yes: yesFlag },
  async run({ name, yes }, session) {
    const principal = await findPrincipal(session, name);
    await confirmFinal(session, {
      yes,
      deed: `Delete principal:${principal.name} of team ${principal.team} with its keys and grants`,
      otherwise: `principal:${principal.name} was not deleted`,
    });
    await session.call('principals.delete', { params: { id: principal.id } });
    return {
      data: { principal: principal.name, deleted: true },
      view: [line(good('✓ '), `principal:${principal.name} is deleted, and its keys no longer work`)],
    };
  },
});
