// Writers of governed changes and a pusher, in a separate process that the tests kill: `node audit-writer.ts <settings as JSON>`. Each
// change creates a team named after its request; two in a hundred roll back at the end.
import { randomUUID } from 'node:crypto';
import { authorize } from '../../governance/access/authorize.ts';
import { systemCaller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { destinations } from '../../governance/audit/push/destination.ts';
import { pushing } from '../../governance/audit/push/push.ts';
import { openDatabase, type Connection } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import { startQueues } from '../../ground/queue/work.ts';

export interface AuditWriterSettings {
  connection: Connection;
  writers: number;
  push_url: string;
}

const { connection, writers, push_url } = JSON.parse(process.argv[2] ?? '') as AuditWriterSettings; // given by the tests
const db = openDatabase(connection, { max: writers + 2 });
class ChangedMind extends Error {}

const fails = (error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
};
const queues = destinations({ urls: [push_url] }).map((to) => pushing(db, to, fails, { lease_ms: 500 }));
await startQueues(db, queues, { alone: false, onError: fails, poll_ms: 200 });
process.stdout.write('writing\n');
for (let n = 0; n < writers; n++) void writeForEver().catch(fails);

async function writeForEver(): Promise<never> {
  for (;;) {
    const request_id = randomUUID();
    const caller = { ...systemCaller('system.seed'), origin: { request_id, ip: null, receipts: [] } };
    const rollsBack = Math.random() < 0.02;
    try {
      await change(db, authorize(caller, 'system.seed', theOrg), 'team.created', async (tx) => {
        await tx.write('team', sql`insert into team (name) values (${`t-${request_id}`}) returning id`);
        if (rollsBack) throw new ChangedMind();
      });
    } catch (error) {
      if (!(error instanceof ChangedMind)) throw error;
    }
  }
}
