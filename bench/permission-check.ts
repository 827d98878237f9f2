// The cost of a decision with many grants, over HTTP and in process. In process, the caller and the asset are read as for a request, and
// decide() is called. There are 1,000 groups of 1,000 members, 100 groups to a user. Each of 1,000 assets has ten entries, and one asset
// has 10,000.
import { databaseOf } from '../e2e/database-of.ts';
import { decide } from '../server/src/governance/access/decide.ts';
import type { Database } from '../server/src/ground/database/database.ts';
import { sql } from '../server/src/ground/database/sql.ts';
import { loadCaller } from '../server/src/people/principals/load-caller.ts';
import { findAsset } from '../server/src/assets/registry/find.ts';
import { load, type Load } from './load/load.ts';
import type { Row } from './report/row.ts';
import { interleaved } from './load/sampling.ts';
import type { Measured } from './service/service.ts';

const users = 10_000;
const groups = 1000;
const shares = 10; // each user is in every tenth group, so that a group has a tenth of the users
const entries = 10_000;
const assets = 1000;
const clients = 16;
const signed_in = 4;
const rounds = 5;
const checks = { spread: 1600, crowded: 160 };
const http_ms = 1500;
const origin = { request_id: null, ip: null, receipts: [] };

export async function measure({ installation }: Measured): Promise<Row[]> {
  const db = await databaseOf(installation, { max: clients });
  try {
    await fill(db);
    const found = await db.all<{ id: string; email: string }>(
      sql`select id, email from app_user where email like 'u%@crowd.example' order by email limit 100`,
    );
    const users = found.map(({ id }) => id);
    const tokens = await Promise.all(
      found.slice(0, signed_in).map(async ({ email }) => await signIn(installation, email)),
    );
    const spread = Array.from({ length: assets }, (_, n) => `spread-${n + 1}`);
    let asked = 0;
    const taken = await interleaved<'http' | 'spread' | 'crowded', Load>(rounds, {
      http: async () => [
        await load({
          url: installation.url,
          headers: (client) => ({ authorization: `Bearer ${tokens[client % signed_in]}` }),
          clients,
          duration_ms: http_ms,
          send: async (to) => await to.send('GET', checkPath(spread[asked++ % assets] ?? '')),
        }),
      ],
      spread: async () => [await check(db, users, { names: spread, times: checks.spread })],
      crowded: async () => [await check(db, users, { names: ['crowded'], times: checks.crowded })],
    });
    const rates = (of: Load[]) => of.map(({ rate }) => rate);
    const latencies = (of: Load[]) => of.flatMap((one) => one.latencies);
    const members = 'users in 100 of 1,000 groups of 1,000 members';
    return [
      {
        measure: `permission check over HTTP, ${clients} clients`,
        unit: 'requests/s',
        at_least: 1500,
        samples: rates(taken.http),
        how: `${rounds} rounds of ${http_ms / 1000} s, by ${members}; 10,000 entries on 1,000 assets`,
      },
      { measure: '… one check', unit: 'ms', samples: latencies(taken.http), how: `${signed_in} sessions` },
      {
        measure: `permission check in process, ${clients} at once`,
        unit: 'requests/s',
        at_least: 4000,
        samples: rates(taken.spread),
        how: `${rounds} rounds of ${checks.spread} checks, by ${members}; 10,000 entries on 1,000 assets`,
      },
      { measure: '… one check', unit: 'ms', samples: latencies(taken.spread), how: 'as above' },
      {
        measure: '… 10,000 entries on the one asset',
        unit: 'ms',
        samples: latencies(taken.crowded),
        how: `${rounds} rounds of ${checks.crowded} checks`,
      },
    ];
  } finally {
    await db.close();
  }
}

const checkPath = (name: string) => `/api/v1/rbac/permissions/check?resource_type=tool&resource_id=${name}&action=use`;

/** The users of the crowd have the administrator's password. */
async function signIn({ url, admin_password }: Measured['installation'], email: string): Promise<string> {
  const answered = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: admin_password }),
  });
  if (!answered.ok) throw new Error(`the sign-in of ${email} answered ${answered.status}: ${await answered.text()}`);
  const { data } = (await answered.json()) as { data: { access_token: string } };
  return data.access_token;
}

async function check(
  db: Database,
  users: readonly string[],
  { names, times }: { names: readonly string[]; times: number },
): Promise<Load> {
  const latencies: number[] = [];
  const started = performance.now();
  let left = times;
  const client = async (): Promise<void> => {
    while (left-- > 0) {
      const [user, name] = [users[left % users.length], names[left % names.length]];
      const began = performance.now();
      const caller = await loadCaller(db, user ?? '', origin);
      const subject = await findAsset(db, 'tool', name ?? '', caller ?? null);
      if (caller === undefined || subject === undefined) throw new Error('what is checked is not there');
      if (!decide(caller, 'asset.invoke', subject).allowed) throw new Error('a member of the group may not use it');
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { latencies, rate: (times * 1000) / (performance.now() - started) };
}

// In bulk, because through the API it would be a million governed changes. The triggers that require an entry for each row are off
// meanwhile.
async function fill(db: Database): Promise<void> {
  const tables = [
    'team',
    'app_user',
    'user_identity',
    'membership',
    'user_group',
    'group_member',
    'asset',
    'permission',
  ];
  const triggers = async (what: string) => {
    for (const table of tables) await db.run({ strings: [`alter table ${table} ${what}`], values: [] });
  };
  await triggers('disable trigger all');
  await db.run(sql`insert into team (name) values ('crowd')`);
  await db.run(sql`
    insert into app_user (email, name, role, password_hash)
    select 'u' || n || '@crowd.example', 'u', 'viewer', admin.password_hash
    from generate_series(1, ${users}) n, app_user admin where admin.email = 'admin@gantry.local'`);
  await db.run(sql`
    insert into user_identity (provider, subject, user_id) select 'local', id, id from app_user where email like '%@crowd.example'`);
  await db.run(
    sql`insert into membership (team_id, user_id, role) select t.id, u.id, 'viewer' from team t, app_user u where t.name = 'crowd' and u.email like '%@crowd.example'`,
  );
  await db.run(sql`
    insert into user_group (name, team_id) select 'g' || lpad(n::text, 4, '0'), t.id from generate_series(1, ${groups}) n, team t where t.name = 'crowd'`);
  // A million rows, in parts that each stay within a statement's time.
  for (let share = 0; share < shares; share++)
    await db.run(sql`
      insert into group_member (group_id, team_id, user_id)
      select g.id, g.team_id, u.id from user_group g, app_user u
      where u.email like '%@crowd.example'
        and substr(g.name, 2)::int % ${shares} = ${share} and substring(u.email from '\\d+')::int % ${shares} = ${share}`);
  await db.run(sql`
    insert into asset (kind, name, team_id, owner_id, visibility, search)
    select 'tool', names.name, t.id, (select id from app_user order by email limit 1), 'private', ''
    from team t, (select 'spread-' || n as name from generate_series(1, ${assets}) n union all select 'crowded') names
    where t.name = 'crowd'`);
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
