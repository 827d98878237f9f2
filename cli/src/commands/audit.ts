import type { AuditEntry } from '@gantry/contract/audit.ts';
import { choice, defineCommand, moment, text } from '../command.ts';
import { limitFlag, takePages } from '../pages.ts';
import { state, table, time } from '../view/view.ts';

export const command = defineCommand({
  words: 'audit',
  summary: 'What happened: all of it for platform admins, a team for its admins, an asset for its owner',
  needs: 'audit.read',
  examples: ['svc audit --since 1d', 'svc audit --asset agents/greeter --action deploy --user ada@example.com'],
  arguments: {},
  flags: {
    asset: text('Only about this asset, such as agents/greeter', 'reference'),
    user: text('Only what this user did', 'e-mail'),
    action: text('An event (approval.decided), or the part before the dot (approval)', 'event'),
    outcome: choice('Only what was done, or only what was refused', [
      'done',
      'refused',
    ] satisfies AuditEntry['outcome'][]),
    since: moment('From this time on'),
    until: moment('Up to this time'),
    limit: limitFlag,
  },
  async run({ limit, ...given }, session) {
    const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const entries = await takePages(session, limit, (query) =>
      session.call('audit.list', { query: { ...query, ...filter } }),
    );
    return {
      data: entries,
      view: [
        table(
          ['#', 'when', 'event', 'outcome', 'who', 'asset', 'detail'],
          entries.map((entry) => [
            `${entry.chain}/${entry.seq}`,
            time(entry.occurred_at),
            entry.event,
            state(entry.outcome),
            entry.actor.name,
            entry.asset,
            detailOf(entry.detail),
          ]),
          'Nothing that you may see matches. All of it is there without filters: svc audit',
        ),
      ],
    };
  },
});

function detailOf(detail: Record<string, unknown>): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}
