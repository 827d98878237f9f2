// A large installation: calls are admitted and settled as fast as in an empty one, and the costs of a month are added up while one waits.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { inSoak } from '../../testing/config.ts';
import { modelStage, type ModelStage } from '../../testing/models/model-stage.ts';
import { printFigures } from '../../testing/print-figures.ts';

const keys = inSoak(200, 100_000);
const rows = inSoak(20_000, 10_000_000);
let stage: ModelStage;

beforeAll(async () => {
  stage = await modelStage();
});
afterAll(async () => await stage?.stop());

test(
  'many keys and a long ledger slow no call down',
  async () => {
    const { app, max } = stage;
    const made = await Promise.all(
      Array.from({ length: 32 }, async () => await max.client.call('keys.create', { body: { max_budget: '1000' } })),
    );
    const values = made.map(({ key }) => key);
    await measure(values, 64);
    const before = await measure(values, inSoak(64, 512));
    await fill();
    const after = await measure(values, inSoak(64, 512));

    const costs = async (query: object) => {
      const began = performance.now();
      const report = await app.admin.client.call('costs.report', { query });
      return { ms: Math.round(performance.now() - began), calls: report.calls };
    };
    const year_ago = new Date(Date.now() - 366 * 86_400_000).toISOString();
    const month = await costs({ by: 'agent' });
    printFigures('volume', {
      keys,
      rows,
      before,
      after,
      month_by_agent: month,
      month_by_model_and_day: await costs({ by: 'model,day' }),
      year_by_team: await costs({ by: 'team', since: year_ago }),
    });
    expect(after.p50_ms).toBeLessThan(before.p50_ms * 2 + 10);
    expect(month.ms).toBeLessThan(30_000);
  },
  inSoak(60_000, 1_500_000),
);

/** With eight clients, and the time until the last call is settled. */
async function measure(values: readonly (string | undefined)[], calls: number) {
  const times: number[] = [];
  const began = performance.now();
  let next = 0;
  const client = async () => {
    for (let n = next++; n < calls; n = next++) {
      const sent = performance.now();
      expect((await stage.call(values[n % values.length])).status).toBe(200);
      times.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  const seconds = (performance.now() - began) / 1000;
  const answered = performance.now();
  while ((await stage.app.db.all(sql`select 1 from hold`)).length > 0) await delay(5);
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10;
  return {
    p50_ms: at(0.5),
    p99_ms: at(0.99),
    calls_per_second: Math.round(calls / seconds),
    settled_after_ms: Math.round(performance.now() - answered),
  };
}

/** Past the service, with rows like those that it writes, of the last year. */
async function fill(): Promise<void> {
  const { db } = stage.app;
  await db.run({
    strings: ['alter table gateway_key disable trigger user; alter table budget disable trigger user'],
    values: [],
  });
  await db.run(sql`
    insert into gateway_key (alias, scope, scope_id, team_id, digest, prefix, models, tags, created_by, activated_at)
    select 'key ' || n, 'team', t.id, t.id, sha256(('key ' || n)::bytea), 'gtk_' || lpad(n::text, 8, '0'), '{*}', '{}', u.id, clock_now()
    from generate_series(1, ${keys}::int) n, team t, app_user u where t.name = 'ml' and u.email = ${stage.max.email}`);
  await db.run(sql`insert into account (id, day) select id, current_date from gateway_key on conflict do nothing`);
  await db.run(sql`insert into budget (id, month_nano) select id, 1000000000 from gateway_key on conflict do nothing`);
  const batch = Math.min(rows, 250_000);
  for (let done = 0; done < rows; done += batch)
    await db.run(sql`
      insert into ledger
      select (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000')::uuid, at, (at at time zone 'UTC')::date, k.id, array[k.id, k.team_id, o.id],
        k.prefix, 'ml', null, 'agent-' || n % 50, null, '{}', 'model-' || n % 10, 'test', 'served', 1, 'answered', false, 1000, 200,
        '{"input": 1000, "output": 200}', 94500, 'table'
      from (select n, clock_now() - interval '365 days' * (1 - n::float / ${rows}::int) as at
          from generate_series(${done + 1}::int, ${done + batch}::int) n) calls,
        org o, (select array_agg(id) as ids from (select id from gateway_key where alias like 'key %' limit 1000) first) keys,
        gateway_key k where k.id = keys.ids[1 + n % cardinality(keys.ids)]`);
  await db.run({ strings: ['analyze'], values: [] });
}
