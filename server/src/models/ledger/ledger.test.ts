// The ledger's invariants, with two services that admit and settle at random on one database, on a moved clock.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import { Problem } from '@gantry/contract/problems.ts';
import { openDatabase, type Database } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import { inSoak } from '../../testing/config.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { openBooks, type Reservation } from './books.ts';
import { newRate, addTo, moveTo, secondsUntil } from './rate.ts';
import { openAccounts } from './store.ts';
import { areInSame, endOf } from './windows.ts';

let database: TestDatabase;
let services: Database[];
beforeAll(async () => {
  database = await testDatabase();
  services = [openDatabase(database.app, { max: 2 }), openDatabase(database.app, { max: 2 })];
  // Limits are governed; this test is about what they allow.
  await database.db.run({ strings: ['alter table budget disable trigger user'], values: [] });
});
afterAll(async () => {
  for (const service of services) await service.close();
  await database?.close();
});

describe('windows in UTC', () => {
  test.each([
    ['day', '2026-11-22', '2026-11-23', false, '2026-11-23T00:00:00.000Z'],
    ['week', '2026-11-22', '2026-11-16', true, '2026-11-23T00:00:00.000Z'],
    ['week', '2026-11-22', '2026-11-23', false, '2026-11-23T00:00:00.000Z'],
    ['week', '2027-01-01', '2026-12-28', true, '2027-01-04T00:00:00.000Z'],
    ['month', '2026-12-31', '2026-12-01', true, '2027-01-01T00:00:00.000Z'],
    ['month', '2026-12-31', '2027-01-01', false, '2027-01-01T00:00:00.000Z'],
  ] as const)('the %s of %s and %s: same %s, ends at %s', (window, one, other, same, end) => {
    expect(areInSame(window, one, other)).toBe(same);
    expect(endOf(window, one)).toBe(end);
  });
});

test('no 60 seconds ever hold more requests than the limit, and the limit is used', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 200 }),
      fc.integer({ min: 1, max: 20 }),
      (gaps, limit) => {
        const rate = newRate('key', 1000);
        const admitted: number[] = [];
        let refused = 0;
        let second = 1000;
        for (const gap of gaps) {
          second += gap;
          moveTo(rate, second);
          const wait = secondsUntil(rate.requests, limit, 1);
          if (wait === 0) {
            addTo(rate, 'requests', second, 1);
            admitted.push(second);
          } else {
            refused += 1;
            // The announced wait is enough.
            const later = structuredClone(rate);
            moveTo(later, second + wait);
            expect(secondsUntil(later.requests, limit, 1)).toBe(0);
          }
        }
        for (const start of admitted) {
          const within = admitted.filter((one) => one >= start && one <= start + 60).length;
          expect(within).toBeLessThanOrEqual(limit);
        }
        if (refused > 0) expect(admitted.length).toBeGreaterThanOrEqual(limit);
      },
    ),
  );
});

const prices = { pico_in: 3, pico_out: 7 };
const reservationOf = (accounts: string[], input_tokens: number, output_tokens: number): Reservation => ({
  id: randomUUID(),
  accounts: accounts.map((id) => ({ id, label: id })),
  input_tokens,
  output_tokens,
  min_output_tokens: 2,
  expected_input_tokens: input_tokens,
  price: {
    boundOf: (output) => input_tokens * prices.pico_in + output * prices.pico_out,
    outputTokensFor: (nano) => Math.floor((nano - input_tokens * prices.pico_in) / prices.pico_out),
  },
  unbounded: [],
  deadline_seconds: 60,
  call: {
    key_id: accounts[0] ?? '',
    key: 'gtk_00000000',
    team: 'ml',
    user: null,
    agent: null,
    principal: null,
    tags: [],
    model: 'm',
    provider: 'p',
    upstream_model: 'm',
    attempt: 1,
    price: 'test',
    call_id: randomUUID(),
    run_id: null,
    root_run_id: null,
    caller_id: null,
    trace_id: null,
  },
});

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('reserve' as const),
      service: fc.nat(1),
      key: fc.nat(2),
      input: fc.integer({ min: 1, max: 30 }),
      output: fc.integer({ min: 1, max: 40 }),
    }),
  },
  // How much of the hold is used, in tenths; 11: the upstream said nothing.
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      service: fc.nat(1),
      which: fc.nat(9),
      tenths: fc.nat(11),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('again' as const), service: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('later' as const), hours: fc.constantFrom(5, 24, 24 * 8) }) },
);

const invariants = async () => {
  const wrong = await database.db.all(sql`
    with limits as (
      select a.*, b.day_nano, b.week_nano, b.month_nano from account a left join budget b using (id)),
    sums as (
      select id as account, l.day, l.nano from ledger l, unnest(l.accounts) as id)
    select 'over' as what, id from limits
      where day_spent + day_held > day_nano or week_spent + week_held > week_nano or month_spent + month_held > month_nano
    union all
    select 'spent', a.id from account a where
      day_spent <> (select coalesce(sum(nano), 0) from sums where account = a.id and sums.day = a.day)
      or week_spent <> (select coalesce(sum(nano), 0) from sums where account = a.id and date_trunc('week', sums.day) = date_trunc('week', a.day))
      or month_spent <> (select coalesce(sum(nano), 0) from sums where account = a.id and date_trunc('month', sums.day) = date_trunc('month', a.day))
    union all
    select 'held', a.id from account a where
      month_held <> (select coalesce(sum(nano), 0) from hold where a.id = any(accounts) and date_trunc('month', hold.day) = date_trunc('month', a.day))
      or day_held <> (select coalesce(sum(nano), 0) from hold where a.id = any(accounts) and hold.day = a.day)`);
  expect(wrong).toEqual([]);
};

test(
  'spent plus held stays within every limit; spent is the sum of the ledger, held the sum of the holds; nothing is settled twice',
  async () => {
    let refusals = 0;
    let admissions = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 30, maxLength: 60 }),
        async (turns) => {
          await database.db.run({
            strings: [
              "create or replace function clock_now() returns timestamptz language sql volatile as $$select timestamptz '2026-11-27 13:00Z'$$; alter table ledger disable trigger user; delete from ledger; delete from hold; delete from account; delete from budget; delete from rate",
            ],
            values: [],
          });
          const [org, team, ...keys] = Array.from({ length: 5 }, () => randomUUID());
          const ids = [org, team, ...keys].map(String);
          await database.db.transaction(async (tx) => await openAccounts(tx, ids));
          await database.db.run(sql`insert into budget (id, day_nano, week_nano, month_nano, requests_per_minute) values
        (${org}, null, 3000, 6000, null), (${team}, 900, null, null, null), (${keys[0]}, 300, 700, 1500, null), (${keys[1]}, null, null, null, 4)`);
          const open: { id: string; accounts: string[]; nano: number }[] = [];
          const settled: typeof open = [];
          let hours = 0;
          for (const turn of turns) {
            await Promise.all(
              turn.map(async (one) => {
                if (one.do === 'later') {
                  hours += one.hours;
                  return;
                }
                const accounts = one.do === 'reserve' ? [String(keys[one.key]), String(team), String(org)] : [];
                const taken =
                  one.do === 'settle' ? open.splice(one.which, 1)[0] : one.do === 'again' ? settled.at(-1) : undefined;
                if (one.do !== 'reserve' && taken === undefined) return;
                const service = services[one.service] ?? services[0];
                await service?.transaction(async (tx) => {
                  const books = await openBooks(tx, {
                    account_ids: taken?.accounts ?? accounts,
                    hold_ids: taken === undefined ? [] : [taken.id],
                  });
                  if (one.do === 'reserve') {
                    const asked = reservationOf(accounts, one.input, one.output);
                    try {
                      const { nano } = books.reserve(asked);
                      open.push({ id: asked.id, accounts, nano });
                      admissions += 1;
                    } catch (error) {
                      if (!(error instanceof Problem)) throw error;
                      refusals += 1;
                      expect(books.hasChanges()).toBe(false);
                      return;
                    }
                  } else if (taken !== undefined) {
                    const nano =
                      one.do === 'settle' && one.tenths <= 10 ? Math.floor((taken.nano * one.tenths) / 10) : undefined;
                    const used = { input_tokens: 1, output_tokens: 1, usage: { input: 1, output: 1 } };
                    expect(books.settle({ hold_id: taken.id, outcome: 'answered', nano, ...used })).toBe(
                      one.do === 'settle',
                    );
                    settled.push(taken);
                  }
                  if (books.hasChanges()) await tx.last(books.write());
                });
              }),
            );
            await invariants();
            await database.db.run({
              strings: [
                `create or replace function clock_now() returns timestamptz language sql volatile as $$select timestamptz '2026-11-27 13:00Z' + interval '${hours} hours'$$`,
              ],
              values: [],
            });
          }
        },
      ),
      { numRuns: inSoak(5, 100), endOnFailure: true },
    );
    expect(Math.min(refusals, admissions)).toBeGreaterThan(20);
  },
  inSoak(60_000, 1_200_000),
);
