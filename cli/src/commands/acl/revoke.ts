import { printGrantee } from '@gantry/contract/refs.ts';
import { actionsFlag, assetFlag, entriesOf, entryOf, principalFlag, readAsset } from '../../registry/acl.ts';
import { defineCommand } from '../../command.ts';
import { readPrincipal } from '../../principals/principal.ts';
import { CliRefusal } from '../../refusal.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'acl revoke',
  summary: 'Revoke the actions of a principal on an asset, all or some',
  needs: 'permission.change',
  examples: [
    'svc acl revoke --asset agents/greeter --principal team:ops',
    'svc acl revoke --asset agents/greeter --principal user:ada@example.com --actions write,publish',
  ],
  arguments: {},
  flags: { asset: assetFlag, principal: principalFlag, actions: actionsFlag('The actions to revoke (default: all)') },
  async run({ asset, principal, actions }, session) {
    const who = readPrincipal(principal);
    const written = printGrantee(who);
    const entry = entryOf(await entriesOf(session, readAsset(asset)), who);
    if (entry === undefined)
      throw new CliRefusal('not_found', `${written} has no entry on ${asset}`, {
        hint: `List the entries: svc acl list --asset ${asset}`,
      });
    const taken = actions === undefined ? entry.actions : entry.actions.filter((action) => actions.includes(action));
    await session.call('permissions.revoke', {
      params: { id: entry.id },
      query: actions === undefined ? {} : { actions: actions.join(',') },
    });
    const left = entry.actions.filter((action) => !taken.includes(action));
    return {
      data: { ...entry, actions: left },
      view: [
        line(
          good('✓ '),
          left.length === 0
            ? `${written} no longer has an entry on ${entry.asset}`
            : `${written} now has on ${entry.asset}: ${left.join(', ')}`,
        ),
      ],
      ...(taken.length === 0
        ? {}
        : { undo: `svc acl grant --asset ${entry.asset} --principal ${written} --actions ${taken.join(',')}` }),
    };
  },
});
