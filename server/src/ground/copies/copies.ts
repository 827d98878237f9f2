// Facts for decisions may stay in memory, with a proof that they are current for the request. One small query serves all waiting requests. It
// reads the hash of the governance chain's head, the epoch of the instances, and the open sessions among the callers' ones. Every governed
// change moves that hash in its own transaction. A copy is valid only with the proof from the snapshot that filled it.
// Promises: an answer is never older than its request, and all its parts are of one moment. Must never happen: a copy of a fact that can
// change without moving the proof. copies.test.ts checks every statement that fills a copy. A restored database cannot bring an old hash back.
import { Problem } from '@gantry/contract/problems.ts';
import { LRUCache } from 'lru-cache';
import { Disconnected, type Database, type PoolSettings, type Reader } from '../database/database.ts';
import { sql, type Sql } from '../database/sql.ts';
import { within } from '../within.ts';
import { together } from './together.ts';

/**
 * What a valid token proves: an open session of this service, or itself, if another issuer made it, until its end. Must never happen: a
 * token that counts after `until`.
 */
export type Presence = { session: string } | { token: string; until: string };

export interface PresenceOf {
  presence: Presence;
  /** The id of the user or service principal that it is about. */
  subject: string;
}

/** The session of this service; null for another presence. */
export const sessionOf = (presence: Presence | null): string | null =>
  presence !== null && 'session' in presence ? presence.session : null;

/** A time that is no time has passed. */
export const isBefore = (now: string, until: string): boolean => Date.parse(now) < Date.parse(until);

/** A state of the database after the arrival of a request. */
export interface Moment {
  /** Two moments with the same proof have the same governed rows and instances. */
  readonly proof: string;
  /** The database's clock: a copy can have a right with an end. */
  readonly now: string;
  isPresent(one: PresenceOf): boolean;
}

/** One kind of copy. */
export interface Kind<Key, Value> {
  readonly name: string;
  /** Equal keys must have equal texts. */
  textOf(key: Key): string;
  /** Reads the values from one snapshot, in the order of the keys; undefined for missing ones. */
  load(db: Reader, keys: readonly Key[]): Promise<(Value | undefined)[]>;
}

export interface Wanted<Value> {
  readonly kind: Kind<unknown, Value>;
  readonly key: unknown;
}

export type Found<W extends Record<string, Wanted<unknown>>> = {
  [Name in keyof W]: W[Name] extends Wanted<infer Value> ? Value | undefined : never;
};

export interface Copies {
  /**
   * All wanted values, as of one moment: the given moment if the copies prove it, else a moment after this call. Undefined without that
   * presence. Throws `starting` if the database does not answer within two seconds or is no primary.
   */
  read<W extends Record<string, Wanted<unknown>>>(
    present: PresenceOf,
    wanted: W,
    at?: Moment,
  ): Promise<{ moment: Moment; found: Found<W> } | undefined>;
}

/** The SQL of the query, from the features that own the tables. */
export interface Question {
  /** An SQL text expression for each part of the proof. */
  proofs: readonly Sql[];
  /** An SQL expression: the open ones of the sessions in a `text[]`, as `<session>:<subject>`. */
  openSessions: (ids: readonly string[]) => Sql;
}

/** The limit of a whole read. It includes the waits for the work before it. */
const answer_ms = 2000;
// One for the question and one for the loads.
export const copies_pool: PoolSettings = { max: 2, answer_ms };
const max_copies_bytes = 32 * 1024 * 1024;
const max_copies = 50_000;

export function wanted<Key, Value>(kind: Kind<Key, Value>, key: Key): Wanted<Value> {
  return { kind, key };
}

interface Loading {
  present: PresenceOf;
  wanted: readonly Wanted<unknown>[];
}

/** `db` is a pool of `copies_pool`. */
export function openCopies(db: Database, question: Question): Copies {
  const kept = new LRUCache<string, { proof: string; value: object }>({
    max: max_copies,
    maxSize: max_copies_bytes,
    sizeCalculation: ({ value }) => JSON.stringify(value).length,
  });

  const ask = async (reader: Reader, present: readonly PresenceOf[]): Promise<Moment> => {
    const ids = [...new Set(present.flatMap(({ presence }) => sessionOf(presence) ?? []))];
    const proof = question.proofs.reduce((all, one) => sql`${all} || ' ' || ${one}`);
    const row = await reader.one<{ is_primary: boolean; proof: string; now: string; open: string[] }>(
      sql`select not pg_is_in_recovery() as is_primary, ${proof} as proof, clock_now() as now, ${question.openSessions(ids)} as open`,
    );
    if (row?.is_primary !== true) throw unproven('This database is a replica, which may be behind its primary.');
    const open = new Set(row.open);
    return {
      proof: row.proof,
      now: row.now,
      isPresent: ({ presence, subject }) =>
        'session' in presence ? open.has(`${presence.session}:${subject}`) : isBefore(row.now, presence.until),
    };
  };
  const askNow = together(async (present: readonly PresenceOf[]) => await ask(db, present));

  const loadNow = together(async (loadings: readonly Loading[]) => {
    const missing = new Map(loadings.flatMap((one) => one.wanted.map((want) => [textOf(want), want])));
    const groups = [...Map.groupBy(missing.values(), ({ kind }) => kind)];
    return await db.snapshot(async (reader) => {
      const [moment, ...found] = await Promise.all([
        ask(
          reader,
          loadings.map(({ present }) => present),
        ),
        ...groups.map(async ([kind, wants]) => {
          const values = await kind.load(
            reader,
            wants.map(({ key }) => key),
          );
          return wants.map((want, index) => [textOf(want), values[index]] as const);
        }),
      ]);
      const values = new Map(found.flat());
      // Invented names take no memory.
      for (const [text, value] of values)
        if (typeof value === 'object' && value !== null) kept.set(text, { proof: moment.proof, value: frozen(value) });
      return { moment, values };
    });
  });

  const copy = (moment: Moment, want: Wanted<unknown>): unknown => {
    const known = kept.get(textOf(want));
    return known?.proof === moment.proof ? known.value : undefined;
  };

  const read: Copies['read'] = async (present, wants, at) => {
    let moment = at ?? (await askNow(present));
    if (!moment.isPresent(present)) return undefined;
    const all = Object.entries(wants);
    let values = all.map(([, want]) => copy(moment, want));
    if (values.includes(undefined)) {
      const loaded = await loadNow({ present, wanted: Object.values(wants) });
      moment = loaded.moment;
      if (!moment.isPresent(present)) return undefined;
      values = all.map(([, want]) => loaded.values.get(textOf(want)));
    }
    const found = Object.fromEntries(all.map(([name], index) => [name, values[index]]));
    return { moment, found: found as Found<typeof wants> }; // each value is of its name's kind
  };
  return { read: async (present, wants, at) => await inTime(read(present, wants, at)) };
}

// Many requests share a copy.
function frozen<T extends object>(value: T): T {
  for (const member of Object.values(value))
    if (typeof member === 'object' && member !== null && !Object.isFrozen(member)) frozen(member as object);
  return Object.freeze(value);
}

function textOf({ kind, key }: Wanted<unknown>): string {
  return `${kind.name} ${kind.textOf(key)}`;
}

// A slow answer proves little about the current state.
async function inTime<T>(reading: Promise<T>): Promise<T> {
  const answered = await within(
    answer_ms,
    reading.then((read) => ({ read })),
  ).catch((error: unknown) => {
    throw error instanceof Disconnected ? unproven('The connection to the database broke.') : error;
  });
  if (answered === undefined) throw unproven('The database did not answer within two seconds.');
  return answered.read;
}

function unproven(detail: string): Problem {
  return new Problem('starting', { detail });
}
