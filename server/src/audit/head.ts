import { sql } from '../database/sql.ts';

/** An expression: every governed change moves it in its own transaction, and it is never again what it was. */
export const governanceHead = sql`(select encode(hash, 'hex') from audit.head where chain = 'governance')`;
