// Manipulations of the log by the database's owner and by users with access to the files. Each one is reported with its entry.
import { appendFile, copyFile, readFile, truncate, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sql, type Sql } from '../../../ground/database/sql.ts';
import { testLog, type TestLog } from '../../../testing/access/proof.ts';
import { verify } from './verify.ts';

let log: TestLog;
beforeEach(async () => {
  log = await testLog();
  await log.write('user-1', 'user-2', 'user-3', 'user-4', 'user-5');
  await log.sign();
  await log.write('user-6');
});
afterEach(async () => await log.close());

const check = async (given: { head?: string; anchor?: string } = {}) => await verify(log.parts, given);
const damage = async () => (await check()).damage.map(({ chain, kind, seq }) => `${chain}/${seq} ${kind}`);
const inGovernance = (statement: string): Sql => ({
  strings: [statement.replace('WHERE', "where chain = 'governance' and")],
  values: [],
});

/** Rewrites the chain from an entry on, with correct hashes. */
const rehash = (from: number): Sql[] => [
  {
    strings: [
      `do $$ declare e record; before bytea; made bytea; begin
         select coalesce((select hash from audit.entry where chain = 'governance' and seq = ${from} - 1), sha256('governance')) into before;
         for e in select * from audit.entry where chain = 'governance' and seq >= ${from} order by seq loop
           made := audit.entry_hash(e.chain, e.seq, e.occurred_at, e.body, before);
           update audit.entry set prev = before, hash = made where chain = e.chain and seq = e.seq;
           before := made;
         end loop;
         update audit.head set hash = before where chain = 'governance';
       end $$`,
    ],
    values: [],
  },
];

test('an untouched log is true as anchored by the outside file, also with unsigned entries', async () => {
  const result = await check();
  expect(result).toMatchObject({ verdict: 'true_as_anchored', damage: [], notices: [] });
  expect(result.chains[1]).toMatchObject({ chain: 'governance', entries: 6, signed: 5, anchored: 5 });
});

test('without outside evidence the verdict is never "true"', async () => {
  const alone = { ...log.parts, outside_file: undefined };
  expect((await verify(alone)).verdict).toBe('unanchored');
  const { head } = await verify(alone);
  expect((await verify(alone, { head })).verdict).toBe('true_as_anchored');
  const anchor = (await verify(alone)).chains[1]?.checkpoint ?? '';
  expect((await verify(alone, { anchor })).verdict).toBe('true_as_anchored');
});

test('an edited entry is reported (T99)', async () => {
  await log.tamper(inGovernance(`update audit.entry set body = replace(body, 'user-3', 'user-9') WHERE seq = 3`));
  expect(await damage()).toEqual(['governance/3 edit']);
});

test('an edited entry with a new hash is reported', async () => {
  await log.tamper(
    inGovernance(`update audit.entry set body = replace(body, 'user-3', 'user-9') WHERE seq = 3`),
    inGovernance(`update audit.entry set hash = audit.entry_hash(chain, seq, occurred_at, body, prev) WHERE seq = 3`),
  );
  expect(await damage()).toEqual(['governance/3 edit']);
});

test('a deleted entry is reported (T100)', async () => {
  await log.tamper(inGovernance(`delete from audit.entry WHERE seq = 3`));
  expect(await damage()).toEqual(['governance/3 delete']);
});

test('a deleted entry is reported, also after a renumbering of the later ones', async () => {
  await log.tamper(
    inGovernance(`delete from audit.entry WHERE seq = 3`),
    inGovernance(`update audit.entry set seq = -seq WHERE seq > 3`),
    inGovernance(`update audit.entry set seq = -seq - 1 WHERE seq < 0`),
    inGovernance(`update audit.head set seq = 5 WHERE true`),
  );
  expect((await damage())[0]).toBe('governance/3 delete');
});

test('two exchanged entries are both reported, with exchanged rows or contents (T101)', async () => {
  await log.tamper(
    inGovernance(`update audit.entry set seq = 100 WHERE seq = 2`),
    inGovernance(`update audit.entry set seq = 2 WHERE seq = 4`),
    inGovernance(`update audit.entry set seq = 4 WHERE seq = 100`),
  );
  expect(await damage()).toEqual(['governance/2 reorder', 'governance/4 reorder']);
});

test('two entries with exchanged texts are both reported', async () => {
  await log.tamper(sql`
    update audit.entry as a set body = b.body, occurred_at = b.occurred_at from audit.entry as b
    where a.chain = 'governance' and b.chain = 'governance' and (a.seq, b.seq) in ((2, 3), (3, 2))`);
  expect(await damage()).toEqual(['governance/2 reorder', 'governance/3 reorder']);
});

const cutOff = [
  inGovernance(`delete from audit.entry WHERE seq >= 4`),
  inGovernance(
    `update audit.head set seq = 3, hash = (select hash from audit.entry where chain = 'governance' and seq = 3) WHERE true`,
  ),
];

test('a truncation with the head row is found only by the checkpoint (T102)', async () => {
  await log.tamper(...cutOff);
  expect(await damage()).toEqual(['governance/4 truncation']);
});

test('a rollback of log and checkpoints is found by the files, and by a noted head (T102)', async () => {
  const { head } = await check();
  await log.tamper(...cutOff, sql`delete from audit.checkpoint`);
  // Nothing before the checkpoint at 5 was signed, so nothing proves the remaining entries.
  expect(await damage()).toEqual(['governance/1 rollback']);
  const blind = {
    ...log.parts,
    own_file: { ...log.parts.own_file, all: async function* () {} },
    outside_file: undefined,
  };
  expect((await verify(blind)).verdict).toBe('unanchored');
  expect((await verify(blind, { head })).damage).toMatchObject([{ kind: 'rollback', seq: 4 }]);
});

test('a missing tail under a remaining head row is reported', async () => {
  await log.tamper(inGovernance(`delete from audit.entry WHERE seq >= 5`));
  expect(await damage()).toEqual(['governance/5 truncation']);
});

test('a chain rewritten from an entry on is reported, with the first entry that no signature covers (T103)', async () => {
  await log.sign();
  await log.write('user-7', 'user-8');
  await log.sign();
  await log.tamper(
    inGovernance(`update audit.entry set body = replace(body, 'user-7', 'user-9') WHERE seq = 7`),
    ...rehash(7),
  );
  const result = await check();
  expect(result.damage).toMatchObject([{ chain: 'governance', seq: 7, kind: 'rehash' }]);
});

test('a completely rewritten chain with checkpoints from another key is reported at each checkpoint (T103)', async () => {
  await log.tamper(
    inGovernance(`update audit.entry set body = replace(body, 'user-1', 'user-9') WHERE seq = 1`),
    ...rehash(1),
    inGovernance(`update audit.checkpoint set note = replace(note, 'head ', 'head 00') WHERE true`),
  );
  expect(await damage()).toEqual(['governance/5 checkpoint_edited', 'governance/1 rehash']);
});

test('an edited checkpoint is reported (T104)', async () => {
  await log.tamper(inGovernance(`update audit.checkpoint set note = replace(note, 'time 2', 'time 3') WHERE size = 5`));
  expect(await damage()).toEqual(['governance/5 checkpoint_edited']);
});

test('a deleted checkpoint is reported, at the end and in the middle (T104)', async () => {
  await log.sign();
  await log.write('user-7');
  await log.sign();
  await log.tamper(inGovernance(`delete from audit.checkpoint WHERE size = 7`));
  expect(await damage()).toEqual(['governance/7 checkpoint_missing']);
  await log.tamper(inGovernance(`delete from audit.checkpoint WHERE size = 5`));
  expect(await damage()).toContain('governance/0 checkpoint_missing');
});

test('an edited checkpoint in the outside file is reported; a rolled back file anchors less (T104)', async () => {
  const { path } = log.parts.outside_file ?? { path: '' };
  await copyFile(path, `${path}.old`);
  await log.sign();
  expect((await check()).chains[1]).toMatchObject({ anchored: 6 });
  await copyFile(`${path}.old`, path);
  expect((await check()).chains[1]).toMatchObject({ signed: 6, anchored: 5 });
  await writeFile(path, (await readFile(path, 'utf8')).replace('time 2', 'time 3'));
  expect(await damage()).toEqual(['governance/5 anchor_edited']);
});

test('a rolled back file is completed from the log, and a torn line in it does no harm', async () => {
  const { path } = log.parts.own_file;
  await log.sign();
  await truncate(path, 10);
  await log.sign();
  expect((await check()).damage).toEqual([]);
  await appendFile(path, '{"kind":"checkpoint","chain":"gover');
  await log.write('user-7');
  await log.sign();
  expect((await readFile(path, 'utf8')).trim().split('\n').at(-1)).toContain('\\n7\\n');
  expect((await check()).damage).toEqual([]);
});

test('a forged entry past the head, and a second one, are reported (T106)', async () => {
  await log.tamper(
    sql`insert into audit.entry (chain, seq, occurred_at, body, prev, hash, cluster, xid, targets)
        select chain, 7, occurred_at, body, hash, audit.entry_hash(chain, 7, occurred_at, body, hash), cluster, xid, targets
        from audit.entry where chain = 'governance' and seq = 6`,
  );
  expect(await damage()).toEqual(['governance/7 insert']);
});

test('a head that points elsewhere is reported', async () => {
  await log.tamper(inGovernance(`update audit.head set hash = sha256('elsewhere') WHERE true`));
  expect(await damage()).toEqual(['governance/6 head_mismatch']);
});

test('a clock that was set back is reported, and the order of entries holds (T107)', async () => {
  await log.db.run(
    sql`create or replace function clock_now() returns timestamptz language sql volatile as 'select clock_timestamp() - interval ''1 day'''`,
  );
  await log.write('yesterday');
  const result = await check();
  expect(result.verdict).toBe('true_as_anchored');
  expect(result.notices).toMatchObject([{ kind: 'time_regression', chain: 'governance', seq: 7 }]);
});

test('a missing or merely enabled trigger, an empty function, and an excess privilege are reported', async () => {
  await log.db.run(sql`alter table team enable trigger governed`);
  expect((await check()).damage).toMatchObject([
    { kind: 'trigger_missing', detail: expect.stringContaining('team.governed') },
  ]);
  await log.db.run(sql`alter table team enable always trigger governed`);
  await log.db.run(sql`drop trigger append_only on audit.checkpoint`);
  expect((await check()).damage).toMatchObject([
    { kind: 'trigger_missing', detail: expect.stringContaining('checkpoint') },
  ]);
  await log.db.run(sql`grant delete on audit.entry to svc_app`);
  expect((await check()).damage[1]).toMatchObject({
    kind: 'grant_excess',
    detail: expect.stringContaining('svc_app may delete'),
  });
  await log.db.run(
    sql`create or replace function audit.refuse_rewrite() returns trigger language plpgsql as 'begin return new; end'`,
  );
  expect((await check()).damage).toContainEqual(
    expect.objectContaining({ kind: 'function_changed', detail: expect.stringContaining('refuse_rewrite') }),
  );
});

test('a head without exactly one entry for every chain is refused, because a missing chain could be truncated', async () => {
  const { head } = await check();
  const [signin, governance] = head.split(',');
  for (const [given, why] of [
    [signin, 'the chain governance'],
    [governance, 'the chain signin'],
    [`${governance},${governance}`, 'twice'],
    [`${head},${signin}`, 'twice'],
  ] as const)
    await expect(check({ head: given ?? '' })).rejects.toMatchObject({
      code: 'malformed',
      detail: expect.stringContaining(why),
    });
  await expect(check({ anchor: 'no checkpoint' })).rejects.toMatchObject({ code: 'malformed' });
  expect((await check({ head: `${governance},${signin}` })).verdict).toBe('true_as_anchored');
});

test('an edited checkpoint in the middle is reported, although later ones contain its hash', async () => {
  await log.sign();
  await log.write('user-7');
  await log.sign();
  await log.tamper(inGovernance(`update audit.checkpoint set note = replace(note, 'time 2', 'time 3') WHERE size = 6`));
  expect(await damage()).toEqual(['governance/6 checkpoint_edited']);
});
