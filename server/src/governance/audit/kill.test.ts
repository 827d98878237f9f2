// Sixteen writers in four processes are killed at random. At the same time exports are interrupted and the push changes servers. Every
// committed change is in the chain once, and every entry reaches exporter and destination.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntryLine } from '@gantry/contract/audit/audit-stream.ts';
import { actorOf, systemCaller } from '../access/caller.ts';
import { sql } from '../../ground/database/sql.ts';
import { startQueues } from '../../ground/queue/work.ts';
import type { AuditWriterSettings } from '../../testing/killed/audit-writer.ts';
import { freePort } from '../../testing/servers/free-port.ts';
import { entriesIn, httpReceiving, type HttpReceiving } from '../../testing/servers/receivers.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { exportLog, type Exported } from './export.ts';
import { append } from './append.ts';
import { destinations } from './push/destination.ts';
import { pushing } from './push/push.ts';
import { pushState } from './push/state.ts';
import { testProof } from '../../testing/access/proof.ts';
import { verify } from '../proof/verification/verify.ts';

const processes = 4;
const writers = 4;
const kills = 6;
const at_least = 1000;

let at: TestDatabase;
let folder: string;
let receiver: HttpReceiving;
let url: string;
interface Writer {
  child: ChildProcess;
  ended: Promise<unknown>;
  writing: Promise<unknown>;
}
const children: Writer[] = [];
let complaints = '';

beforeAll(async () => {
  at = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), 'gantry-kill-'));
  const port = await freePort();
  url = `http://127.0.0.1:${port}/`;
  receiver = httpReceiving({ port, file: join(folder, 'taken') });
  await receiver.start();
});
afterAll(async () => {
  for (const { child } of children) child.kill('SIGKILL');
  await receiver?.end('SIGKILL');
  await at?.close();
  await rm(folder, { recursive: true });
});

function launch(): Writer {
  const settings: AuditWriterSettings = { connection: at.app, writers, push_url: url };
  const program = join(import.meta.dirname, '../../testing/killed/audit-writer.ts');
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr.on('data', (text: Buffer) => (complaints += text.toString()));
  const ended = once(child, 'exit');
  return { child, ended, writing: Promise.race([once(child.stdout, 'data'), ended]) };
}

const count = async () =>
  (await at.db.one<{ n: number }>(sql`select count(*) as n from team where name like 't-%'`))?.n ?? 0;

/** Exports repeatedly until `done`. Every second export is interrupted and starts again at the last cursor. */
async function exportMeanwhile(done: () => boolean): Promise<{ seen: Map<string, EntryLine>; repeated: number }> {
  const caller = systemCaller('system.seed');
  const about = {
    outcome: 'done',
    actor: actorOf(caller),
    team: null,
    asset: null,
    ip: null,
    request_id: null,
  } as const;
  const recorded = async (exported: Exported) =>
    void (await at.db.transaction(
      async (tx) => await append(tx, { event: 'audit.exported', ...about, detail: { ...exported } }, []),
    ));
  const noCheckpoints = async function* () {};
  const seen = new Map<string, EntryLine>();
  let repeated = 0;
  let since_cursor: string | undefined;
  for (let round = 0, last = false; !last; round++) {
    last = done();
    if (!last) await delay(100); // leaves processor time to the writers
    let left = round % 2 === 1 && !last ? Math.floor(Math.random() * 200) : Number.POSITIVE_INFINITY;
    for await (const line of await exportLog(
      at.db,
      { since_cursor },
      { record: recorded, checkpoints: noCheckpoints },
    )) {
      if (left-- <= 0) break;
      if (line.kind === 'cursor') since_cursor = line.cursor;
      if (line.kind !== 'entry') continue;
      if (seen.has(`${line.chain}/${line.seq}`)) repeated++;
      else seen.set(`${line.chain}/${line.seq}`, line);
    }
  }
  return { seen, repeated };
}

test('no gap, no fork, one entry for each committed change; export and push miss no entry', async () => {
  for (let n = 0; n < processes; n++) children.push(launch());
  let over = false;
  const exporting = exportMeanwhile(() => over);
  for (let round = 1; round <= kills; round++) {
    const victim = round % processes;
    const { child, writing, ended } = children[victim] ?? launch();
    await writing;
    expect(complaints).toBe('');
    await expect.poll(count, { timeout: 60_000, interval: 20 }).toBeGreaterThan((round * at_least) / kills);
    await delay(Math.random() * 50);
    child.kill('SIGKILL');
    await ended;
    children[victim] = launch();
  }
  for (const { child, ended } of children) {
    child.kill('SIGKILL');
    await ended;
  }
  over = true;
  const { seen, repeated } = await exporting;
  expect(complaints).toBe('');

  const { damage, chains } = await verify(await testProof(at.db, folder));
  expect(damage).toEqual([]);
  const strays = await at.db.all(sql`
    select t.name, count(e.seq) from team t left join audit.entry e on e.targets @> array['team:' || t.id]
    where t.name like 't-%' group by t.name having count(e.seq) <> 1`);
  expect(strays).toEqual([]);
  const ghosts = await at.db.all(sql`
    select e.seq from audit.entry e where e.event = 'team.created' and (e.body::jsonb ->> 'request_id') is not null
      and not exists (select from team t where t.name = 't-' || (e.body::jsonb ->> 'request_id'))`);
  expect(ghosts).toEqual([]);
  const rolledBack = await at.db.one<{ n: number }>(
    sql`select count(*) as n from audit.entry where body::jsonb ->> 'request_id' is not null`,
  );
  expect(rolledBack?.n).toBe(await count());

  const stored = chains.reduce((sum, { entries }) => sum + entries, 0);
  expect(seen.size).toBe(stored);
  expect(repeated).toBeGreaterThan(0);

  const onError = () => {};
  const queues = destinations({ urls: [url] }).map((to) => pushing(at.db, to, onError));
  const working = await startQueues(at.db, queues, { alone: true, onError, poll_ms: 20 });
  await expect.poll(async () => (await pushState(at.db, url)).behind, { timeout: 20_000 }).toBe(0);
  await working.stop();
  const taken = entriesIn((await receiver.batches()).flatMap(({ body }) => body.trimEnd().split('\n')));
  expect(new Map(taken.map((line) => [`${line.chain}/${line.seq}`, line.hash]))).toEqual(
    new Map([...seen].map(([key, line]) => [key, line.hash])),
  );
}, 180_000);
