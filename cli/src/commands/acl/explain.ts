import { printGrantee } from '@gantry/contract/refs.ts';
import { actionFlag, readAsset } from '../../registry/acl.ts';
import { defineCommand, required, text } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { readUser } from '../../principals/principal.ts';
import { bad, faint, fields, good, line, prose, table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'acl explain',
  summary: 'Why a principal may do an action on an asset or not, and the changes that reverse this; exit 1 for no',
  needs: 'permission.explain',
  examples: [
    'svc acl explain agents/greeter --action deploy',
    'svc acl explain agents/greeter --principal user:ada@example.com --action deploy',
  ],
  arguments: { asset: required('The asset, such as agents/greeter') },
  flags: {
    principal: text('user:<e-mail> (default: yourself). For others you need "admin" on the asset', 'who'),
    action: actionFlag('The action'),
  },
  async run({ asset, principal, action }, session) {
    const found = await session.call('permissions.explain', {
      query: { ...readAsset(asset), action, ...(principal === undefined ? {} : { principal: readUser(principal) }) },
    });
    const { allowed, role, platform_role, team, team_role, entries, would_change } = found;
    return {
      data: found,
      view: [
        line(
          allowed ? good('✓ ') : bad('✗ '),
          `${found.principal} ${allowed ? 'may' : 'may not'} ${action} ${found.asset}: ${found.reason}`,
        ),
        fields({
          Role: `${role}  (platform ${platform_role}, ${team_role === null ? `not in team:${team}` : `team:${team} ${team_role}`})`,
        }),
        table(
          ['entry', prose('gives'), 'since'],
          entries.map((entry) => [printGrantee(entry), entry.actions.join(', '), time(entry.created_at)]),
          'No entry applies to them.',
        ),
        ...would_change.map((together, at) =>
          line(faint(at === 0 ? 'would change it: ' : '             or: '), together.join('  and  ')),
        ),
      ],
      exit: allowed ? exitCodes.done : exitCodes.refused,
    };
  },
});
