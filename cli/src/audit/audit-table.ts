import { actorOf, sentenceOf } from '@gantry/contract/audit/audit-sentence.ts';
import type { AuditEntry } from '@gantry/contract/audit/audit.ts';
import { bad, prose, state, table, time, type Block, type Cell } from '../view/view.ts';

/** The entries as the console's sentences; `long` has every member of their detail instead. */
export function auditTable(entries: readonly AuditEntry[], { long }: { long: boolean }): Block {
  const empty = 'No entry that you may see matches. Without filters: svc audit';
  return long
    ? table(['#', 'when', 'event', 'outcome', 'who', 'asset', prose('detail')], entries.map(longRow), empty)
    : table(['#', 'when', prose('what')], entries.map(auditRow), empty);
}

/** The number that `svc audit --entry` takes, the time, and `ada@example.com deployed agents/greeter 1.0.0 for local`. */
export function auditRow(entry: AuditEntry): Cell[] {
  const sentence = `${actorOf(entry)} ${sentenceOf(entry)}`;
  return [numberOf(entry), time(entry.occurred_at), entry.outcome === 'refused' ? bad(sentence) : sentence];
}

export function longRow(entry: AuditEntry): Cell[] {
  const { occurred_at, event, outcome, actor, asset, detail } = entry;
  return [numberOf(entry), time(occurred_at), event, state(outcome), actor.name, asset, detailOf(detail)];
}

const numberOf = ({ chain, seq }: AuditEntry): string => `${chain}/${seq}`;

function detailOf(detail: Record<string, unknown>): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}
