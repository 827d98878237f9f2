import type { AuditEntry } from '@gantry/contract/audit/audit.ts';
import { auditRow, auditTable, longRow } from '../audit/audit-table.ts';
import { choice, defineCommand, moment, text, toggle } from '../command.ts';
import { limitFlag, takePages } from '../pages.ts';
import { misuse } from '../refusal.ts';
import { keepReading } from '../run/keep-reading.ts';
import type { Session } from '../session/session.ts';
import { line } from '../view/view.ts';

export const command = defineCommand({
  words: 'audit',
  summary: 'The entries of the audit log that you may read; subcommands verify, export and prove them',
  needs: 'audit.read',
  examples: [
    'svc audit --since 7d --outcome refused',
    'svc audit --asset agents/greeter --action deploy --user ada@example.com',
    'svc audit --entry governance/12',
    'svc audit --follow --action approval --json',
  ],
  arguments: {},
  flags: {
    asset: text('Only about this asset, such as agents/greeter', 'reference'),
    user: text('Only actions of this user', 'e-mail'),
    action: text('An event (approval.decided), or its part before the dot (approval)', 'event'),
    outcome: choice('Only changes, or only refusals', ['done', 'refused'] satisfies AuditEntry['outcome'][]),
    since: moment('From this time on'),
    until: moment('Up to this time'),
    entry: text('Only the entry with this audit number, such as governance/12, with all of it', 'number'),
    long: toggle('Every member of each entry instead of its sentence'),
    limit: limitFlag,
    follow: toggle('Keep printing new entries, oldest first', 'f'),
  },
  async run({ limit, until, entry, follow, long, ...given }, session) {
    const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    if (follow) {
      if (until !== undefined || limit !== undefined || entry !== undefined)
        throw misuse('--follow has no end: leave out --until, --limit and --entry', 'Begin earlier with --since 1h.');
      return await followLog(session, filter, long);
    }
    const ends = { ...(until === undefined ? {} : { until }), ...(entry === undefined ? {} : { entry }) };
    const entries = await takePages(session, limit, (query) =>
      session.call('audit.list', { query: { ...query, ...filter, ...ends } }),
    );
    return { data: entries, view: [auditTable(entries, { long: long || entry !== undefined })] };
  },
});

async function followLog(session: Session, query: Record<string, string | undefined>, long: boolean) {
  const stopped = new AbortController();
  using _taken = session.onInterrupt(() => stopped.abort()); // the normal end of following
  const reading = { follow: true, signal: stopped.signal };
  const followed = keepReading(session, reading, (options) => session.call('audit.follow', { query }, options));
  for await (const { entry } of followed) {
    if (entry === null) continue;
    session.output.event(entry);
    session.output.show([
      line(...(long ? longRow : auditRow)(entry).flatMap((cell) => (cell === null ? [] : [cell, '  ']))),
    ]);
  }
  return { data: undefined, view: [] };
}
