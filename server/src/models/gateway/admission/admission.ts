// Admission of calls, and their settlement, in batches: one transaction for all that wait, and at most one at a time in a process. The next
// batch collects meanwhile. Promises: a call is admitted only after its hold is committed; a settlement is carried out exactly once; without
// the ledger no call begins. A batch that the database refuses is carried out in halves, down to the one call that it refuses: no call fails
// or delays another. A database that is away refuses no call: then all wait for it.
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@gantry/contract/problems.ts';
import { isAway, type Database, type OpenTx, type PoolSettings } from '../../../ground/database/database.ts';
import { start_tag, startingKeys } from '../../keys/calls/facts.ts';
import { pauseKeys } from '../../keys/pause.ts';
import { openBooks, type Books, type Reservation, type Reserved, type Settlement } from '../../ledger/books.ts';
import { within } from '../../../ground/within.ts';
import type { Facts, KnownFacts, Payer } from './facts.ts';
import { judge } from '../judging/judge.ts';
import * as store from '../store.ts';

interface Asked {
  caller: Payer;
  /** The id of the hold that the call gets. */
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
  /** Carried out with one of the next batches, again and again until it is stored. One that the database refuses is charged its whole hold. */
  settle(settled: Settled): void;
  /** No batch can be carried out. */
  isFailing(): boolean;
  /** True when every settlement is stored. It waits for a limited time: what is left then keeps its hold, which another process charges. */
  close(): Promise<boolean>;
}

interface Waiting {
  asked: Asked;
  resolve: (admitted: Admitted) => void;
  reject: (error: unknown) => void;
}

interface Batch {
  asks: readonly Waiting[];
  settlements: readonly Settled[];
}

const nothing: Batch = { asks: [], settlements: [] };

const max_batch = 256;
// A settlement waits this long for an admission that takes it along.
const settle_after_ms = 10;
const max_pause_ms = 2000;
const admit_ms = 2000;

/** One batch at a time needs one connection. Its few statements find rows by their keys, so one plan fits all values. */
export const admission_pool: PoolSettings = { max: 1, answer_ms: 10_000, plans_once: true };

export function openAdmission(
  db: Database,
  {
    facts,
    process,
    onError,
    close_ms = 10_000,
  }: { facts: KnownFacts; process: string; onError: (error: unknown) => void; close_ms?: number },
): Admission {
  let waiting: Waiting[] = [];
  let settled: Settled[] = [];
  let running: Promise<void> | undefined;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  const closed = new AbortController();
  /** Their holds stay. At their deadline another process charges them. */
  const given_up = new Set<string>();

  const settle = (one: Settled) => {
    if (given_up.has(one.hold_id)) return;
    settled.push(one);
    timer ??= setTimeout(() => {
      timer = undefined;
      start();
    }, settle_after_ms);
  };

  const isWaiting = () => !closed.signal.aborted && waiting.length + settled.length > 0;

  const start = () => {
    running ??= run().finally(() => {
      running = undefined;
      if (isWaiting()) start();
    });
  };

  async function run(): Promise<void> {
    // At the end of the event loop's turn, all requests of this turn have arrived.
    await new Promise(setImmediate);
    // After a failure, an empty batch shows whether the ledger works again.
    while (isWaiting() || (failures > 0 && !closed.signal.aborted))
      await carryOut({ asks: waiting.splice(0, max_batch), settlements: settled.splice(0, max_batch) });
  }

  async function carryOut(batch: Batch): Promise<void> {
    const left = [batch];
    let doesWork = false;
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      try {
        await commit(next);
      } catch (error) {
        const isItsFault = !isAway(error) && (doesWork ||= await canStore());
        if (!isItsFault) {
          onError(error);
          failures++;
          giveBack([next, ...left]);
          await pause();
          return;
        }
        left.unshift(...(next.asks.length + next.settlements.length > 1 ? halvesOf(next) : refused(next, error)));
      }
    }
  }

  async function pause(): Promise<void> {
    const ms = Math.min(50 * 2 ** failures, max_pause_ms);
    await sleep(ms, undefined, { signal: closed.signal }).catch(() => {}); // closed meanwhile
  }

  async function commit(batch: Batch): Promise<void> {
    const answers = await db.transaction(async (tx) => await write(tx, batch));
    failures = 0;
    for (const answer of answers) answer();
  }

  /** The database stores a batch of nothing. Then the fault is in what it has refused. */
  async function canStore(): Promise<boolean> {
    return await commit(nothing).then(
      () => true,
      () => false,
    );
  }

  /** Nobody knows whether a commit succeeded. A hold that exists is given back; one that does not exist is none. */
  function giveBack(batches: readonly Batch[]): void {
    for (const { reject } of batches.flatMap(({ asks }) => asks)) reject(ledgerUnavailable());
    settled.unshift(
      ...batches.flatMap(({ asks, settlements }) => [...settlements, ...asks.map(({ asked }) => unused(asked))]),
    );
  }

  /** Ends a call that the database refuses alone. Returns what is to be stored in its place. */
  function refused({ asks, settlements }: Batch, cause: unknown): Batch[] {
    for (const { reject } of asks) reject(cause);
    return settlements.flatMap((one) => {
      const { hold_id, accounts, outcome } = one;
      const charged = { hold_id, accounts, outcome, ...unknown_usage };
      const isCharged = one.nano === undefined && one.input_tokens + one.output_tokens === 0;
      if (isCharged) given_up.add(hold_id);
      const next = isCharged ? 'It cannot be charged either, so it stays' : 'It is charged in full';
      onError(new Error(`the ledger refuses what a call has cost, whose hold is ${hold_id}. ${next}.`, { cause }));
      return isCharged ? [] : [{ ...nothing, settlements: [charged] }];
    });
  }

  /** Changes the database, and returns what to answer after the commit. */
  async function write(tx: OpenTx, { asks, settlements }: Batch): Promise<(() => void)[]> {
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
    const starting = await startingKeys(
      tx,
      known.flatMap((found) => (found.status === 'fulfilled' ? found.value.key : [])),
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
        const admitted = admittedBy(books, asked, { facts: found.value, starting });
        return () => resolve(admitted);
      } catch (error) {
        // One request never fails the others of its batch. A reservation changes nothing before it throws.
        return () => reject(error);
      }
    });
    // An empty batch writes no row, and still asks whether it could.
    if (!books.hasChanges() && asks.length + settlements.length > 0) return answers;
    if (books.breaches.length === 0) {
      await tx.last(books.write());
    } else {
      await tx.run(books.write());
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
        (error: unknown) => {
          if (!(error instanceof Problem)) onError(error);
        },
      );
      throw ledgerUnavailable();
    },
    settle,
    isFailing: () => failures > 1,
    close: async () => {
      start();
      const ended = async () => {
        while (running !== undefined) await running;
        return true;
      };
      const isStored = (await within(close_ms, ended())) === true;
      closed.abort();
      return isStored;
    },
  };
}

/** The halves of a batch. It has two calls or more. */
function halvesOf({ asks, settlements }: Batch): Batch[] {
  const halves = <One>(all: readonly One[]) => [
    all.slice(0, Math.ceil(all.length / 2)),
    all.slice(Math.ceil(all.length / 2)),
  ];
  // Settlements free budget for the calls that wait.
  if (asks.length > 0 && settlements.length > 0)
    return [
      { ...nothing, settlements },
      { ...nothing, asks },
    ];
  if (asks.length > 0) return halves(asks).map((half) => ({ ...nothing, asks: half }));
  return halves(settlements).map((half) => ({ ...nothing, settlements: half }));
}

function admittedBy(
  books: Books,
  asked: Asked,
  { facts, starting }: { facts: Facts; starting: ReadonlySet<string> },
): Admitted {
  const { model } = judge(facts, asked.model, { now: books.now, starting });
  const key = starting.has(facts.key.id) ? { ...facts.key, tags: [...facts.key.tags, start_tag] } : facts.key;
  const reservation = asked.reservation({ ...facts, key, model });
  const { nano: held, output_tokens, is_limited, rates } = books.reserve(reservation);
  return { key, rules: facts.rules, model, output_tokens, is_limited, rates, held };
}

/** Charges the whole hold. */
export const unknown_usage = { nano: undefined, input_tokens: 0, output_tokens: 0, usage: {} };

function ledgerUnavailable(): Problem {
  return new Problem('ledger_unavailable', { retry_after_seconds: 1 });
}

function unused({ hold_id, caller: { accounts } }: Asked): Settled {
  return { hold_id, accounts, outcome: 'failed', ...unknown_usage, nano: 0 };
}
