import type { AuditEntry } from '@gantry/contract/audit.ts';
import { prose, state, time, type Cell } from '../view/view.ts';

export const auditColumns = ['#', 'when', 'event', 'outcome', 'who', 'asset', prose('detail')];

/** An audit entry as a row of the table. */
export function auditRow(entry: AuditEntry): (Cell | null)[] {
  return [
    `${entry.chain}/${entry.seq}`,
    time(entry.occurred_at),
    entry.event,
    state(entry.outcome),
    entry.actor.name,
    entry.asset,
    detailOf(entry.detail),
  ];
}

function detailOf(detail: Record<string, unknown>): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}
