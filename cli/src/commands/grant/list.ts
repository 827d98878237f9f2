import type { ReadingGrant } from '@gantry/contract/people/reading-grants.ts';
import { readingRights } from '@gantry/contract/roles.ts';
import { choice, defineCommand, text, toggle } from '../../command.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { readHolder, whatOf, whereOf } from '../../principals/reading-grant.ts';
import { prose, table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'grant list',
  summary: 'Who may read costs or the audit log by a grant: yours, and those that you may change',
  needs: 'grant.list',
  examples: ['svc grant list --team ml', 'svc grant list --org --right read_audit --json'],
  arguments: {},
  flags: {
    to: text('Only of user:<e-mail>, group:<name> or principal:<name>', 'who'),
    right: choice('Only this right', readingRights),
    org: toggle('Only grants on the whole organisation'),
    limit: limitFlag,
  },
  async run({ to, right, org, limit }, session) {
    const { team } = session.globals;
    const grants = await takePages(session, limit, (query) =>
      session.call('grants.list', {
        query: {
          ...query,
          ...(to === undefined ? {} : { principal: readHolder(to) }),
          ...(right === undefined ? {} : { right }),
          ...(team === undefined ? {} : { team }),
          ...(org ? { scope: 'org' as const } : {}),
        },
      }),
    );
    return {
      data: grants,
      view: [
        table(
          ['id', 'who', prose('reads'), 'by', 'since', 'ends'],
          grants
            .toSorted(byAge)
            .map((grant) => [
              grant.id,
              grant.principal,
              `the ${whatOf(grant.right)} of ${whereOf(grant)}`,
              grant.granted_by,
              time(grant.created_at),
              grant.ended ? 'ended' : grant.expires_at === null ? 'never' : time(grant.expires_at),
            ]),
          'No grant that you may see. Give one: svc grant read-costs --to <e-mail> --team <team>',
        ),
      ],
    };
  },
});

const byAge = (one: ReadingGrant, other: ReadingGrant): number => (one.created_at < other.created_at ? -1 : 1);
