import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { app_role, grantToApp } from '../ground/database/app-role.ts';
import { openDatabase, type Connection, type Database } from '../ground/database/database.ts';

export interface TestDatabase {
  /** As the owner: a test may change tables, move the clock, and tamper. */
  db: Database;
  /** For a second process or pool on the same database. */
  connection: Connection;
  /** The service's connection. */
  app: Connection;
  close(): Promise<void>;
}

/** A migrated database for one test file: a copy of the template, in about 30 ms. */
export async function testDatabase(): Promise<TestDatabase> {
  const server = inject('postgresql');
  const name = `gantry_test_${randomBytes(6).toString('hex')}`;
  const admin = openDatabase({ ...server, database: 'postgres' }, { max: 1 });
  await retryWhileBusy(
    async () =>
      await admin.run({
        // Without the copy of each page through the log.
        strings: [`create database ${name} template ${inject('template')} strategy file_copy`],
        values: [],
      }),
  );
  const connection = { ...server, database: name };
  const db = openDatabase(connection);
  // The copy has the template's grants, except those on the database itself.
  await db.transaction(grantToApp);
  return {
    db,
    connection,
    app: { ...connection, user: app_role, password: inject('app_password') },
    close: async () => {
      await db.close();
      await admin.run({ strings: [`drop database ${name} with (force)`], values: [] });
      await admin.close();
    },
  };
}

// Two files that copy the template at the same moment collide (55006, object_in_use).
async function retryWhileBusy(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      const busy = error instanceof Error && 'code' in error && error.code === '55006';
      if (!busy || attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 80));
    }
  }
}
