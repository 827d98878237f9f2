// One governed write together with its audit entry, or nothing. It alone hands out the transaction that can write governed tables:
// `tx.write` notes which rows were written, and the entry names them; the database refuses to commit a row that no entry names.
import type { AuditBody, AuditEvent } from '@gantry/contract/audit.ts';
import { appendAndCommit, type Receipt } from '../audit/append.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql, type Sql } from '../database/sql.ts';
import { actorOf } from './caller.ts';
import type { Grant } from './authorize.ts';
import type { Subject } from './subject.ts';

/** The transaction of a governed change. */
export interface GovernedTx extends Tx {
  /** Writes rows of a governed table; the statement ends in `returning` with the row's id. */
  write<Row extends { id: string }>(table: string, query: Sql): Promise<Row[]>;
}

type Detail = Record<string, unknown>;

/** What `work` adds to the entry; members of later calls join the earlier ones. `event` is for what only the transaction can tell. */
export type Note = (detail: Detail, about?: { asset?: string; team?: string; event?: AuditEvent }) => void;

/**
 * Runs `work` and appends `event` in the same transaction. Work that neither writes a governed row nor notes anything has changed
 * nothing and leaves no entry. The receipt goes to the caller's origin, from where the HTTP layer tells it.
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

// Dates to text, undefined members dropped.
function toJson(detail: Detail): AuditBody['detail'] {
  return JSON.parse(JSON.stringify(detail)) as AuditBody['detail']; // what JSON.parse answers is JSON
}
