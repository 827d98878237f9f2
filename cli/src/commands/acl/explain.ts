import { printGrantee } from '@gantry/contract/refs.ts';
import { actions, readingRights } from '@gantry/contract/roles.ts';
import { readAsset } from '../../registry/acl.ts';
import { choice, defineCommand, optional, text, toggle } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { explainReading } from '../../principals/explain-reading.ts';
import { readUser } from '../../principals/principal.ts';
import { misuse } from '../../refusal.ts';
import { bad, faint, fields, good, line, prose, table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'acl explain',
  summary: 'Why a principal may do an action on an asset or not, and the changes that reverse this; exit 1 for no',
  needs: 'permission.explain',
  examples: [
    'svc acl explain agents/greeter --action deploy',
    'svc acl explain agents/greeter --principal user:ada@example.com --action deploy',
    'svc acl explain --right read_costs --team ml --principal user:fin@example.com',
  ],
  arguments: { asset: optional('The asset, such as agents/greeter') },
  flags: {
    principal: text(
      'user:<e-mail> (default: yourself). For others you need "admin" on the asset, or the right to grant',
      'who',
    ),
    action: choice('The action', actions),
    right: choice('In place of an asset: a right to read, on --team or on --org', readingRights),
    org: toggle('With --right: on the whole organisation'),
  },
  async run({ asset, principal, action, right, org }, session) {
    if (right !== undefined) return await explainReading(session, { right, principal, org });
    if (asset === undefined)
      throw misuse('An asset is needed, or --right', 'Write it like agents/greeter, or --right read_costs --team ml.');
    if (action === undefined) throw misuse('--action is needed', `Name one of ${actions.join(', ')}.`);
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
