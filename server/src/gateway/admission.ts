// Admission of calls, and their settlement, in batches: one transaction for all that wait, and at most one at a time in a process. The next
// batch collects meanwhile. Promises: a call is admitted only after its hold is committed; a settlement is carried out exactly once; without
// the ledger no call begins.
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@gantry/contract/problems.ts';
import type { Database, OpenTx, PoolSettings } from '../database/database.ts';
import { pauseKeys } from '../keys/pause.ts';
import { openBooks, type Books, type Reservation, type Reserved, type Settlement } from '../ledger/books.ts';
import { within } from '../within.ts';
import type { Facts, KnownFacts, Payer } from './facts.ts';
import { judge } from './judge.ts';
import * as store from './store.ts';

interface Asked {
  caller: Payer;
  /** Of the hold that it gets. */
  hold_id: string;
  /** The requested name of a model. */
  model: string;
  /** The reservation for a call to the model that the name leads to. Throws a refusal. */
  reservation(facts: Facts & { model: NonNullable<Facts['model']> }): Reservation;
}

export interface Admitted {
  key: Facts['key'];
  rules: Facts['rules'];
  model: NonNullable<Facts['model']>;
  output_tokens: number;
  is_limited: boolean;
  rates: Reserved['rates'];
  /** In nano-USD. */
  held: number;
}

interface Settled extends Settlement {
  accounts: readonly string[];
}

export interface Admission {
  /** Throws the refusal, and `ledger_unavailable` when nothing could be held. */
  admit(asked: Asked): Promise<Admitted>;
  /** Carried out with one of the next batches, again and again until it is stored. */
  settle(settled: Settled): void;
  /** When every settlement is stored. */
  close(): Promise<void>;
}

interface Waiting {
  asked: Asked;
  resolve: (admitted: Admitted) => void;
  reject: (error: unknown) => void;
}

const max_batch = 256;
// A settlement waits this long for an admission that takes it along.
const settle_after_ms = 10;
const max_pause_ms = 2000;
const admit_ms = 2000;

/** One batch at a time needs one connection. Its few statements find rows by their keys, so one plan fits all values. */
export const admission_pool: PoolSettings = { max: 1, answer_ms: 10_000, plans_once: true };

export function openAdmission(
  db: Database,
  { facts, process, onError }: { facts: KnownFacts; process: string; onError: (error: unknown) => void },
): Admission {
  let waiting: Waiting[] = [];
  let settled: Settled[] = [];
  let running: Promise<void> | undefined;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;

  const settle = (one: Settled) => {
    settled.push(one);
    timer ??= setTimeout(() => {
      timer = undefined;
      start();
    }, settle_after_ms);
  };

  const start = () => {
    running ??= run().finally(() => {
      running = undefined;
      if (waiting.length + settled.length > 0) start();
    });
  };

  async function run(): Promise<void> {
    // At the end of the event loop's turn, all requests of this turn have arrived.
    await new Promise(setImmediate);
    while (waiting.length + settled.length > 0) {
      const asks = waiting.splice(0, max_batch);
      const settlements = settled.splice(0, max_batch);
      try {
        const answers = await db.transaction(async (tx) => await carryOut(tx, asks, settlements));
        failures = 0;
        for (const answer of answers) answer();
      } catch (error) {
        onError(error);
        failures++;
        for (const { reject } of asks) reject(ledgerUnavailable());
        // Nobody knows whether the commit succeeded. A hold that exists is given back; one that does not exist is none.
        settled.unshift(...settlements, ...asks.map(({ asked }) => unused(asked)));
        await sleep(Math.min(50 * 2 ** failures, max_pause_ms));
      }
    }
  }

  /** Changes the database, and returns what to answer after the commit. */
  async function carryOut(
    tx: OpenTx,
    asks: readonly Waiting[],
    settlements: readonly Settled[],
  ): Promise<(() => void)[]> {
    const account_ids = [
      ...asks.flatMap(({ asked }) => asked.caller.accounts),
      ...settlements.flatMap(({ accounts }) => accounts),
    ];
    const [books, head] = await Promise.all([
      openBooks(tx, {
        account_ids: [...new Set(account_ids)],
        hold_ids: settlements.map(({ hold_id }) => hold_id),
        process,
      }),
      store.head(tx),
    ]);
    const known = await Promise.allSettled(
      asks.map(async ({ asked }) => await facts.load(tx, head?.hash ?? '', asked)),
    );
    for (const one of settlements) books.settle(one);
    const answers = asks.map(({ asked, resolve, reject }, index) => {
      const found = known[index];
      if (found?.status !== 'fulfilled') {
        // After any other failure of a statement the transaction cannot go on.
        if (!(found?.reason instanceof Problem)) throw found?.reason;
        return () => reject(found.reason);
      }
      try {
        const admitted = admittedBy(books, asked, found.value);
        return () => resolve(admitted);
      } catch (error) {
        // One request never fails the others of its batch. A reservation changes nothing before it throws.
        return () => reject(error);
      }
    });
    const write = books.write();
    if (write === undefined) return answers;
    if (books.breaches.length === 0) {
      await tx.last(write);
    } else {
      await tx.run(write);
      await pauseKeys(tx, books.breaches);
    }
    return answers;
  }

  return {
    admit: async (asked) => {
      const answer = new Promise<Admitted>((resolve, reject) => {
        waiting.push({ asked, resolve, reject });
        start();
      });
      const admitted = await within(admit_ms, answer);
      if (admitted !== undefined) return admitted;
      // Its caller has given up, so the hold that it may still get is given back.
      void answer.then(
        () => settle(unused(asked)),
        () => {}, // it got none
      );
      throw ledgerUnavailable();
    },
    settle,
    close: async () => {
      start();
      while (running !== undefined) await running;
    },
  };
}

function admittedBy(books: Books, asked: Asked, facts: Facts): Admitted {
  const { model } = judge(facts, asked.model, books.now);
  const reservation = asked.reservation({ ...facts, model });
  const { nano: held, output_tokens, is_limited, rates } = books.reserve(reservation);
  return { key: facts.key, rules: facts.rules, model, output_tokens, is_limited, rates, held };
}

function ledgerUnavailable(): Problem {
  return new Problem('ledger_unavailable', { retry_after_seconds: 1 });
}

function unused({ hold_id, caller: { accounts } }: Asked): Settled {
  return { hold_id, accounts, outcome: 'failed', nano: 0, input_tokens: 0, output_tokens: 0, usage: {} };
}
