import { defineCommand, required } from '../../command.ts';
import { whatOf, whereOf } from '../../principals/reading-grant.ts';
import { takePages } from '../../pages.ts';
import { CliRefusal } from '../../refusal.ts';
import { good, line } from '../../view/view.ts';

// Far more than an organisation has.
const most = 10_000;

export const command = defineCommand({
  words: 'grant remove',
  summary: 'Take back a grant to read costs or the audit log',
  needs: 'grant.change',
  examples: ['svc grant remove 7f3c52aa', 'svc grant remove 7f3c52aa --json'],
  arguments: { id: required('The id of the grant, or its beginning') },
  flags: {},
  async run({ id }, session) {
    const grants = await takePages(session, most, (query) => session.call('grants.list', { query }));
    const found = grants.filter((grant) => grant.id.startsWith(id));
    const [grant] = found;
    if (grant === undefined || found.length > 1)
      throw new CliRefusal(
        'not_found',
        `${found.length === 0 ? 'No grant begins' : `${found.length} grants begin`} with ${id}`,
        {
          hint: 'List the grants: svc grant list',
        },
      );
    await session.call('grants.delete', { params: { id: grant.id } });
    const where = grant.team === null ? '--org' : `--team ${grant.team}`;
    const seconds = grant.expires_at === null ? 0 : Math.round((Date.parse(grant.expires_at) - Date.now()) / 1000);
    const rest = seconds > 0 ? ` --expires-in ${Math.ceil(seconds / 60)}m` : '';
    return {
      data: { ...grant, ended: true },
      view: [
        line(
          good('✓ '),
          `${grant.principal} no longer has this grant on the ${whatOf(grant.right)} of ${whereOf(grant)}`,
        ),
      ],
      ...(grant.ended
        ? {}
        : { undo: `svc grant ${grant.right.replace('_', '-')} --to ${grant.principal} ${where}${rest}` }),
    };
  },
});
