// What a decision costs where much is granted: the caller and the asset are read as for a request, and decide() is asked. 1,000 groups of
// 1,000 members each, who are all in all of them; 10,000 entries, spread over 1,000 assets, and once more all on a single one.
import { databaseOf } from '../e2e/database-of.ts';
import { decide } from '../server/src/access/decide.ts';
import type { Database } from '../server/src/database/database.ts';
import { migrate } from '../server/src/database/migrate.ts';
import { sql } from '../server/src/database/sql.ts';
import { loadCaller } from '../server/src/principals/load-caller.ts';
import { findAssetById } from '../server/src/registry/find.ts';
import type { Row } from './row.ts';
import { interleaved } from './sampling.ts';
import type { Measured } from './service.ts';

const database = 'permission_bench';
const groups = 1000;
const members = 1000;
const entries = 10_000;
const assets = 1000;
const clients = 16;
const rounds = 5;
const checks = { spread: 1600, crowded: 160 };
const origin = { request_id: null, ip: null, receipts: [] };

export async function measure({ installation }: Measured): Promise<Row[]> {
  const admin = await databaseOf(installation);
  await admin.run({ strings: [`create database ${database}`], values: [] });
  const db = await databaseOf(installation, { database, max: clients });
  try {
    await migrate(db, { grant: false });
    await fill(db);
    const users = await ids(db, sql`select id from app_user order by email limit 100`);
    const spread = await ids(db, sql`select id from asset where name like 'spread-%' order by name`);
    const crowded = await ids(db, sql`select id from asset where name = 'crowded'`);
    const taken = await interleaved(rounds, {
      spread: async () => await check(db, users, { assets: spread, times: checks.spread }),
      crowded: async () => await check(db, users, { assets: crowded, times: checks.crowded }),
    });
    const how = `${rounds} rounds of ${checks.spread} checks by ${clients} clients at once, of 1,000 groups of 1,000 members`;
    return [
      { measure: 'permission check, 10,000 entries', unit: 'ms', p99_at_most: 5, samples: taken.spread, how },
      {
        measure: '… all of them on the one asset',
        unit: 'ms',
        samples: taken.crowded,
        how: 'each check reads all of them',
      },
    ];
  } finally {
    await db.close();
    await admin.run({ strings: [`drop database ${database} with (force)`], values: [] });
    await admin.close();
  }
}

/** How long each check took, in milliseconds. */
async function check(
  db: Database,
  users: readonly string[],
  { assets: of, times }: { assets: readonly string[]; times: number },
): Promise<number[]> {
  const took: number[] = [];
  let left = times;
  const client = async (): Promise<void> => {
    while (left-- > 0) {
      const [user, asset] = [users[left % users.length], of[left % of.length]];
      const began = performance.now();
      const caller = await loadCaller(db, user ?? '', origin);
      const subject = await findAssetById(db, asset ?? '');
      if (caller === undefined || subject === undefined) throw new Error('what is checked is not there');
      if (!decide(caller, 'asset.invoke', subject).allowed) throw new Error('a member of the group may not use it');
      took.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return took;
}

// Set by set: through the API it would be a million governed changes. The triggers that ask for an entry with each row are off meanwhile.
async function fill(db: Database): Promise<void> {
  const tables = ['org', 'team', 'app_user', 'membership', 'user_group', 'group_member', 'asset', 'permission'];
  const triggers = async (what: string) => {
    for (const table of tables) await db.run({ strings: [`alter table ${table} ${what}`], values: [] });
  };
  await triggers('disable trigger all');
  await db.run(sql`insert into org default values`);
  await db.run(sql`insert into team (name) values ('crowd')`);
  await db.run(sql`
    insert into app_user (email, name, role, password_hash)
    select 'u' || n || '@example.com', 'u', 'viewer', 'x' from generate_series(1, ${members}) n`);
  await db.run(
    sql`insert into membership (team_id, user_id, role) select t.id, u.id, 'viewer' from team t, app_user u`,
  );
  await db.run(sql`
    insert into user_group (name, team_id) select 'g' || n, t.id from generate_series(1, ${groups}) n, team t`);
  // A million rows, in parts that each stay within a statement's time.
  for (let from = 0; from < groups; from += 50)
    await db.run(sql`
      insert into group_member (group_id, team_id, user_id)
      select g.id, g.team_id, u.id from (select * from user_group order by name offset ${from} limit 50) g, app_user u`);
  await db.run(sql`
    insert into asset (kind, name, team_id, owner_id, visibility, search)
    select 'tool', names.name, t.id, (select id from app_user order by email limit 1), 'private', ''
    from team t, (select 'spread-' || n as name from generate_series(1, ${assets}) n union all select 'crowded') names`);
  await db.run(sql`
    insert into permission (asset_id, principal_type, principal_id, actions)
    select a.id, 'group', g.id, array['read', 'use'] from (select id, row_number() over (order by name) as n from asset where name like 'spread-%') a
    join (select id, row_number() over (order by name) as n from user_group) g on (g.n + a.n) % ${groups} < ${entries / assets}`);
  await db.run(sql`
    insert into permission (asset_id, principal_type, principal_id, actions)
    select a.id, 'group', g.id, array['read', 'use'] from asset a, user_group g where a.name = 'crowded'
    union all select a.id, 'user', gen_random_uuid(), array['read'] from asset a, generate_series(1, ${entries - groups}) where a.name = 'crowded'`);
  await triggers('enable trigger all');
  await triggers('enable always trigger governed');
  await db.run(sql`analyze`);
}

async function ids(db: Database, query: ReturnType<typeof sql>): Promise<string[]> {
  return (await db.all<{ id: string }>(query)).map(({ id }) => id);
}
