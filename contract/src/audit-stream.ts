// The audit log as it grows, and as a whole: what is followed, exported, and pushed to a SIEM.
import { z } from 'zod';
import { auditEntry, auditFilter, chains, storedEntry } from './audit.ts';
import type { Endpoint } from './endpoint.ts';

export const entryLine = storedEntry.extend({ kind: z.literal('entry') });
export type EntryLine = z.output<typeof entryLine>;

export const exportLine = z.discriminatedUnion('kind', [
  entryLine,
  z.object({ kind: z.literal('checkpoint'), chain: z.enum(chains), note: z.string().describe('a signed note (C2SP)') }),
  // The last line. Where it is missing, the export broke off.
  z.object({ kind: z.literal('cursor'), cursor: z.string().describe('hand it in as since_cursor the next time') }),
]);
export type ExportLine = z.output<typeof exportLine>;

export const auditNews = z.object({
  entry: auditEntry
    .nullable()
    .describe('null where the stream only says how far it has read: first, and past what does not match'),
});
export type AuditNews = z.output<typeof auditNews>;

export const auditStreamEndpoints = {
  'audit.follow': {
    method: 'GET',
    path: '/api/v1/audit/events',
    summary: 'What is added to the audit log from now on, or since a time; resumes after Last-Event-ID',
    operation: 'audit.read',
    query: z.strictObject(auditFilter),
    reply: { kind: 'events', status: 200, schema: auditNews },
    problems: ['bad_cursor', 'bad_reference'],
  },
  'audit.export': {
    method: 'GET',
    path: '/api/v1/audit/export',
    summary:
      'Every entry as it is stored, chain by chain in the order of commit, with the checkpoints over them; the last line says where to go on',
    operation: 'audit.export',
    query: z.strictObject({
      chain: z.enum(chains).optional(),
      since_cursor: z.string().max(400).optional().describe('what the last line of an earlier export said'),
    }),
    reply: { kind: 'lines', status: 200, schema: exportLine },
    problems: ['bad_cursor'],
  },
} as const satisfies Record<string, Endpoint>;
