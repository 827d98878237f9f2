import { roles } from '@gantry/contract/roles.ts';
import { choice, defineCommand, required, text } from '../../command.ts';
import { allowedAssetsFlag, describePrincipal } from '../../principals/describe-principal.ts';
import { findPrincipal } from '../../principals/people.ts';
import { misuse } from '../../refusal.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'principal update',
  summary: 'Change the role or the allowed assets of a service principal; takes effect on its next request',
  needs: 'principal.change',
  examples: ['svc principal update ci --role contributor', 'svc principal update ci --allowed-assets "agents/web-*"'],
  arguments: { name: required('The service principal') },
  flags: {
    role: choice('Its role in its team', roles),
    allowedAssets: allowedAssetsFlag,
    description: text('Its purpose', 'text'),
  },
  async run({ name, role, allowedAssets, description }, session) {
    if (role === undefined && allowedAssets === undefined && description === undefined)
      throw misuse('Nothing to change', 'Give --role, --allowed-assets or --description.');
    const before = await findPrincipal(session, name);
    const principal = await session.call('principals.update', {
      params: { id: before.id },
      body: {
        ...(role === undefined ? {} : { role }),
        ...(allowedAssets === undefined ? {} : { allowed_assets: allowedAssets }),
        ...(description === undefined ? {} : { description }),
      },
    });
    const back = [
      ...(principal.role === before.role ? [] : [`--role ${before.role}`]),
      ...(principal.allowed_assets.join() === before.allowed_assets.join()
        ? []
        : [`--allowed-assets "${before.allowed_assets.join(',')}"`]),
      ...(principal.description === before.description ? [] : [`--description ${JSON.stringify(before.description)}`]),
    ];
    return {
      data: principal,
      view: [line(good('✓ '), `principal:${principal.name} is changed`), ...describePrincipal(principal)],
      ...(back.length === 0 ? {} : { undo: `svc principal update ${principal.name} ${back.join(' ')}` }),
    };
  },
});
