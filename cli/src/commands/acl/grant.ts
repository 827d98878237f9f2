import { actionsFlag, assetFlag, entriesOf, entryOf, principalFlag, readAsset } from '../../acl.ts';
import { defineCommand } from '../../command.ts';
import { readPrincipal, writePrincipal } from '../../principal.ts';
import { misuse } from '../../refusal.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'acl grant',
  summary: 'Let somebody do more to an asset; what they may already do stays',
  needs: 'permission.change',
  examples: [
    'svc acl grant --asset agents/greeter --principal team:ops --actions use',
    'svc acl grant --asset tools/search --principal user:ada@example.com --actions read,use,write',
  ],
  arguments: {},
  flags: { asset: assetFlag, principal: principalFlag, actions: actionsFlag('What they may do from now on') },
  async run({ asset, principal, actions }, session) {
    if (actions === undefined) throw misuse('--actions is needed', 'Name some, such as --actions read,use.');
    const resource = readAsset(asset);
    const who = readPrincipal(principal);
    const before = entryOf(await entriesOf(session, resource), who)?.actions ?? [];
    const entry = await session.call('permissions.grant', { body: { ...resource, ...who, actions } });
    const added = entry.actions.filter((action) => !before.includes(action));
    const written = writePrincipal(entry);
    if (added.length === 0)
      return { data: entry, view: [line(`${written} may already: ${entry.actions.join(', ')}`)], next: [] };
    return {
      data: entry,
      view: [line(good('✓ '), `${written} may now on ${entry.asset}: ${entry.actions.join(', ')}`)],
      undo: `svc acl revoke --asset ${entry.asset} --principal ${written} --actions ${added.join(',')}`,
    };
  },
});
