import { printGrantee } from '@gantry/contract/refs.ts';
import { actionsFlag, assetFlag, entriesOf, entryOf, principalFlag, readAsset } from '../../registry/acl.ts';
import { defineCommand, needed } from '../../command.ts';
import { readPrincipal } from '../../principals/principal.ts';
import { rolesBehind } from '../../registry/what-actions-give.ts';
import { faint, good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'acl grant',
  summary: 'Grant a principal more actions on an asset; earlier grants stay',
  needs: 'permission.change',
  examples: [
    'svc acl grant --asset agents/greeter --principal team:ops --actions use',
    'svc acl grant --asset tools/search --principal user:ada@example.com --actions read,use,write',
  ],
  arguments: {},
  flags: {
    asset: assetFlag,
    principal: principalFlag,
    actions: needed(actionsFlag('The actions to grant'), 'Name some, such as --actions read,use.'),
  },
  async run({ asset, principal, actions }, session) {
    const resource = readAsset(asset);
    const who = readPrincipal(principal);
    const before = entryOf(await entriesOf(session, resource), who)?.actions ?? [];
    const entry = await session.call('permissions.grant', { body: { ...resource, ...who, actions } });
    const added = entry.actions.filter((action) => !before.includes(action));
    const written = printGrantee(entry);
    if (added.length === 0)
      return { data: entry, view: [line(`${written} already has: ${entry.actions.join(', ')}`)], next: [] };
    const behind = rolesBehind(added);
    return {
      data: entry,
      view: [
        line(good('✓ '), `${written} now has on ${entry.asset}: ${entry.actions.join(', ')}`),
        ...(behind === undefined ? [] : [line(faint(`  ${behind}`))]),
      ],
      undo: `svc acl revoke --asset ${entry.asset} --principal ${written} --actions ${added.join(',')}`,
    };
  },
});
