import { authorize } from '../governance/access/authorize.ts';
import { systemCaller } from '../governance/access/caller.ts';
import { change } from '../governance/access/change.ts';
import { theOrg } from '../governance/access/subject.ts';
import type { Database } from '../ground/database/database.ts';
import type { Sql } from '../ground/database/sql.ts';

/** Governed writes past the API, each with its own entry. */
export function governedWrites(db: Database): (statement: Sql) => Promise<void> {
  return async (statement) => {
    const table = /(?:update|insert into|delete from)\s+(\w+)/.exec(statement.strings[0] ?? '')?.[1] ?? '';
    const grant = authorize(systemCaller('system.seed'), 'system.seed', theOrg);
    await change(db, grant, 'user.changed', async (tx) => await tx.write(table, statement));
  };
}
