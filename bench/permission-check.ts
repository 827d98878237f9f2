// The cost of a decision with many grants: the caller and the asset are loaded as for a request, then decide() runs. There are 1,000
// groups of 1,000 members each, and 100 groups per user; 10,000 entries on 1,000 assets, and once more all on a single asset.
import { databaseOf } from '../e2e/database-of.ts';
import { decide } from '../server/src/access/decide.ts';
import type { Database } from '../server/src/database/database.ts';
import { migrate } from '../server/src/database/migrate.ts';
import { sql } from '../server/src/database/sql.ts';
import { loadCaller } from '../server/src/principals/load-caller.ts';
import { findAsset } from '../server/src/registry/find.ts';
import type { Row } from './row.ts';
import { interleaved } from './sampling.ts';
import type { Measured } from './service.ts';

const database = 'permission_bench';
const users = 10_000;
const groups = 1000;
const shares = 10; // each user is in every tenth group, so that a group has a tenth of the users
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
    const users = (await db.all<{ id: string }>(sql`select id from app_user order by email limit 100`)).map(
      ({ id }) => id,
    );
    const spread = Array.from({ length: assets }, (_, n) => `spread-${n + 1}`);
    const taken = await interleaved(rounds, {
      spread: async () => await check(db, users, { names: spread, times: checks.spread }),
      crowded: async () => await check(db, users, { names: ['crowded'], times: checks.crowded }),
    });
    const how = `${rounds} rounds of ${checks.spread} checks by ${clients} clients at once, by users in 100 of 1,000 groups of 1,000 members`;
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
  { names, times }: { names: readonly string[]; times: number },
): Promise<number[]> {
  const took: number[] = [];
  let left = times;
  const client = async (): Promise<void> => {
    while (left-- > 0) {
      const [user, name] = [users[left % users.length], names[left % names.length]];
      const began = performance.now();
      const caller = await loadCaller(db, user ?? '', origin);
      const subject = await findAsset(db, 'tool', name ?? '');
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
    select 'u' || n || '@example.com', 'u', 'viewer', 'x' from generate_series(1, ${users}) n`);
  await db.run(
    sql`insert into membership (team_id, user_id, role) select t.id, u.id, 'viewer' from team t, app_user u`,
  );
  await db.run(sql`
    insert into user_group (name, team_id) select 'g' || lpad(n::text, 4, '0'), t.id from generate_series(1, ${groups}) n, team t`);
  // A million rows, in parts that each stay within a statement's time.
  for (let share = 0; share < shares; share++)
    await db.run(sql`
      insert into group_member (group_id, team_id, user_id)
      select g.id, g.team_id, u.id from user_group g, app_user u
      where substr(g.name, 2)::int % ${shares} = ${share} and substring(u.email from '\\d+')::int % ${shares} = ${share}`);
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
  await db.run(sql`vacuum analyze`); // as the server does by itself after some minutes
}
