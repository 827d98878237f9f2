// A governed write and its audit entry commit together, or neither does. Only change() provides the transaction that can write governed
// tables. `tx.write` notes the written rows, and the entry names them. The database refuses to commit a row that no entry names.
import type { AuditBody, AuditEvent } from '@gantry/contract/audit/audit.ts';
import { appendAndCommit, type Receipt } from '../audit/append.ts';
import type { Database, Tx } from '../../ground/database/database.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';
import { actorOf } from './caller.ts';
import type { Grant } from './authorize.ts';
import type { Subject } from './subject.ts';

/** The transaction of a governed change. */
export interface GovernedTx extends Tx {
  /** Writes rows of a governed table. The statement ends with `returning` and the row's id. */
  write<Row extends { id: string }>(table: string, query: Sql): Promise<Row[]>;
}

type Detail = Record<string, unknown>;

/** Adds members to the entry's detail. `event` replaces an event name that only the transaction can determine. */
export type Note = (detail: Detail, about?: { asset?: string; team?: string; event?: AuditEvent }) => void;

/**
 * Runs `work` and appends `event` in the same transaction. Work without governed rows and without notes leaves no entry. The HTTP layer
 * takes the receipt from the caller's origin.
 */
export async function change<T>(
  db: Database,
  grant: Grant,
  event: AuditEvent,
  work: (tx: GovernedTx, note: Note) => Promise<T>,
): Promise<T> {
  const about = { event, ...whereabouts(grant.subject) };
  let receipt: Receipt | undefined;
  const result = await db.transaction(
    async (tx) => {
      const targets: string[] = [];
      let detail: Detail | undefined;
      const made = await work(governed(tx, targets), (more, changed) => {
        detail = { ...detail, ...more };
        Object.assign(about, changed);
      });
      if (targets.length === 0 && detail === undefined) return made;
      await grant.caller.origin.onChange?.(tx);
      const bypass = grant.bypass === undefined ? {} : { bypass: grant.bypass };
      const origin = { ip: grant.caller.origin.ip, request_id: grant.caller.origin.request_id };
      const body = {
        ...about,
        ...origin,
        outcome: 'done',
        actor: actorOf(grant.caller),
        detail: toJson({ ...detail, ...bypass }),
      } as const;
      receipt = await appendAndCommit(tx, body, targets);
      return made;
    },
    sql`select set_config('gantry.governed', ${'on'}, true)`,
  );
  if (receipt !== undefined) grant.caller.origin.receipts.push(receipt);
  return result;
}

function governed(tx: Tx, targets: string[]): GovernedTx {
  return {
    ...tx,
    write: async <Row extends { id: string }>(table: string, query: Sql) => {
      const rows = await tx.all<Row>(query);
      targets.push(...rows.map((row) => `${table}:${row.id}`));
      return rows;
    },
  };
}

function whereabouts(subject: Subject): { team: string | null; asset: string | null } {
  if (subject.kind === 'team') return { team: subject.name, asset: null };
  if (subject.kind === 'asset') return { team: subject.team.name, asset: subject.ref };
  return { team: null, asset: null };
}

// Turns dates into text and drops undefined members.
function toJson(detail: Detail): AuditBody['detail'] {
  return JSON.parse(JSON.stringify(detail)) as AuditBody['detail']; // JSON.parse returns JSON
}
