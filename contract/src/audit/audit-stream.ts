// The audit log as a stream and as a whole: for followers, exports and the push to a SIEM.
import { z } from 'zod';
import { auditEntry, auditFilter, chains, storedEntry } from './audit.ts';
import type { Endpoint } from '../endpoint.ts';

export const entryLine = storedEntry.extend({ kind: z.literal('entry') });
export type EntryLine = z.output<typeof entryLine>;

export const exportLine = z.discriminatedUnion('kind', [
  entryLine,
  z.object({ kind: z.literal('checkpoint'), chain: z.enum(chains), note: z.string().describe('a signed note (C2SP)') }),
  // The last line. Without it the export is incomplete.
  z.object({ kind: z.literal('cursor'), cursor: z.string().describe('pass it as since_cursor to the next export') }),
]);
export type ExportLine = z.output<typeof exportLine>;

export const auditUpdate = z.object({
  entry: auditEntry
    .nullable()
    .describe('null when the stream only reports its position: at the start, and after entries that do not match'),
});
export type AuditUpdate = z.output<typeof auditUpdate>;

export const auditStreamEndpoints = {
  'audit.follow': {
    method: 'GET',
    path: '/api/v1/audit/events',
    summary: 'New entries of the audit log, from now on or since a time; resumes after Last-Event-ID',
    operation: 'audit.read',
    query: z.strictObject(auditFilter),
    reply: { kind: 'events', status: 200, schema: auditUpdate },
    problems: ['bad_cursor', 'bad_reference'],
  },
  'audit.export': {
    method: 'GET',
    path: '/api/v1/audit/export',
    summary: 'Every entry as stored, chain by chain in commit order, with checkpoints; the last line is a cursor',
    operation: 'audit.export',
    query: z.strictObject({
      chain: z.enum(chains).optional(),
      since_cursor: z.string().max(400).optional().describe('the cursor from the last line of an earlier export'),
    }),
    reply: { kind: 'lines', status: 200, schema: exportLine },
    problems: ['bad_cursor'],
  },
} as const satisfies Record<string, Endpoint>;
