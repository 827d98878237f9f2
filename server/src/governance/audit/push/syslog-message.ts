import { hostname } from 'node:os';
import type { AuditBody } from '@gantry/contract/audit/audit.ts';
import type { EntryLine } from '@gantry/contract/audit/audit-stream.ts';
import { printJsonLine } from '@gantry/contract/formats/json-lines.ts';

// RFC 5424, tables 1 and 2: the facility "log audit"; severity notice, or warning for refusals.
const facility = 13;
const severities = { done: 5, refused: 4 };

/** An entry as one message of RFC 5424, in printable ASCII, so that its text cannot begin another message. */
export function syslogMessage(entry: EntryLine, shown: object = entry): string {
  const { event, outcome } = JSON.parse(entry.body) as AuditBody; // append() accepts nothing else
  const priority = facility * 8 + severities[outcome];
  const header = [`<${priority}>1`, entry.occurred_at, name(hostname(), 255), 'gantry', '-', name(event, 32), '-'];
  return `${header.join(' ')} ${printJsonLine(shown).trimEnd()}`;
}

function name(text: string, most: number): string {
  return text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, most) || '-';
}
