// The one way to PostgreSQL. Reads go to the pool; writes need a transaction. Only access/change.ts provides the transaction that may write
// governed tables, and it adds the audit entry.
import pg from 'pg';
import { compile, type Sql } from './sql.ts';

export interface Reader {
  all<Row extends object>(query: Sql): Promise<Row[]>;
  one<Row extends object>(query: Sql): Promise<Row | undefined>;
}

/** An open transaction. Governed tables refuse its commit without an audit entry. */
export interface Tx extends Reader {
  /** The number of affected rows. */
  run(query: Sql): Promise<number>;
}

/** A transaction that its last statement can end. */
export interface OpenTx extends Tx {
  /**
   * Sends the commit directly behind the statement, so its locks are not held for a round trip to the database. Nothing may follow it.
   * Throws the error of either; then nothing was committed.
   */
  last<Row extends object>(query: Sql): Promise<Row | undefined>;
}

export interface Database extends Tx {
  /** `first` is sent together with the begin. */
  transaction<T>(work: (tx: OpenTx) => Promise<T>, first?: Sql): Promise<T>;
  /** All reads are as of one moment. Statements without an await between them go to the database together. */
  snapshot<T>(read: (db: Reader) => Promise<T>): Promise<T>;
  /** Calls back for every NOTIFY on the channel, and once after each reconnect, since some may have been missed. */
  listen(channel: string, heard: (payload: string) => void): Promise<{ close(): Promise<void> }>;
  /** Further connections to the same database, which slow statements in this pool do not delay. Closed by the one who opens them. */
  openPool(settings: PoolSettings): Database;
  close(): Promise<void>;
}

export interface Connection {
  host?: string;
  port?: number;
  user?: string;
  password?: string;
  database?: string;
  connectionString?: string;
}

// Columns have their JSON types: times as ISO text in UTC, 64-bit integers as numbers (none here exceeds 2^53).
const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.TIMESTAMPTZ, (text) => new Date(text).toISOString()],
  [pg.types.builtins.INT8, Number],
]);
const types: pg.CustomTypesConfig = {
  // The driver's own signature is untyped here; it falls back to the driver's parsers.
  getTypeParser: ((oid: number, format?: 'text' | 'binary'): unknown =>
    parsers.get(oid) ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export interface PoolSettings {
  max?: number;
  /** A connection that leaves a statement unanswered for this time is destroyed. By default it waits for ever. */
  answer_ms?: number;
  /** Each statement is planned once for all values. By default PostgreSQL plans some statements anew at every use. */
  plans_once?: boolean;
  onError?: (error: Error) => void;
  /** The pause between two attempts of a listener to reconnect. */
  reconnect_after_ms?: number;
}

// Statements without an await between them are sent at once. The driver supports this; its types lack it.
const pipelined: object = { pipeline: true };
/** Of a pool without a size of its own. */
export const pool_size = 16;
const statement_ms = 60_000;
const connect_ms = 10_000;

export function openDatabase(
  connection: Connection,
  {
    max = pool_size,
    answer_ms = Infinity,
    plans_once = false,
    onError = () => {},
    reconnect_after_ms = 1000,
  }: PoolSettings = {},
): Database {
  // The server ends a statement that lost its client too.
  const longest_ms = Math.min(statement_ms, answer_ms + 1000);
  const settings: pg.PoolConfig = {
    ...connection,
    ...pipelined,
    types,
    options: `-c timezone=UTC -c statement_timeout=${longest_ms}${plans_once ? ' -c plan_cache_mode=force_generic_plan' : ''}`,
    application_name: 'gantry',
    connectionTimeoutMillis: Math.min(connect_ms, answer_ms),
    ...(answer_ms < Infinity && { query_timeout: answer_ms }),
    // A lost network closes no connection. Without this, an idle listener would wait for ever.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
  const pool = new pg.Pool({ ...settings, max, idleTimeoutMillis: 30_000 });
  let closing = false;
  // An idle connection that the server closes must not end the process; the next query opens another.
  pool.on('error', (error) => {
    if (!closing) onError(error);
  });
  // A connection that breaks between two statements emits an error event, and an unhandled one ends the process. Its next statement
  // fails, and the pool does not take it back.
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    ...readerOn(pool),
    run: async (query) => (await answered(pool.query(compile(query)))).rowCount ?? 0,
    transaction: async (work, first) => await inTransaction(pool, work, first),
    snapshot: async (read) => await inSnapshot(pool, read),
    listen: async (channel, heard) => await listenOn(settings, { channel, heard, onError, reconnect_after_ms }),
    openPool: (own) => openDatabase(connection, { onError, ...own }),
    close: async () => {
      closing = true;
      await pool.end();
    },
  };
}

function readerOn(client: pg.Pool | pg.PoolClient): Reader {
  const all = async <Row extends object>(query: Sql): Promise<Row[]> =>
    (await answered(client.query<Row & pg.QueryResultRow>(compile(query)))).rows;
  return { all, one: async <Row extends object>(query: Sql) => (await all<Row>(query))[0] };
}

/** The database cannot be reached, or its connection broke. The outcome of the statement is then unknown. */
export class Disconnected extends Error {}

// The server's own errors have a class of their own, and a parameter that cannot be sent is a TypeError.
async function answered<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (cause) {
    if (cause instanceof pg.DatabaseError || cause instanceof TypeError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Disconnected(`the database did not answer: ${why}`, { cause });
  }
}

async function inTransaction<T>(pool: pg.Pool, work: (tx: OpenTx) => Promise<T>, first?: Sql): Promise<T> {
  const client = await answered(pool.connect());
  let broken: Error | undefined;
  let committed = false;
  try {
    // READ COMMITTED: a higher level would read a stale audit head and fail at commit (see migrations, audit.append).
    await Promise.all([
      answered(client.query('begin isolation level read committed')),
      ...(first === undefined ? [] : [answered(client.query(compile(first)))]),
    ]);
    const result = await work({
      ...readerOn(client),
      run: async (query) => (await answered(client.query(compile(query)))).rowCount ?? 0,
      last: async <Row extends object>(query: Sql) => {
        // A commit behind a failed statement rolls back.
        const [row] = await Promise.all([readerOn(client).one<Row>(query), answered(client.query('commit'))]);
        committed = true;
        return row;
      },
    });
    if (!committed) await answered(client.query('commit'));
    return result;
  } catch (error) {
    await client.query('rollback').catch((failed: Error) => {
      broken = failed;
    });
    throw error;
  } finally {
    // A connection whose rollback failed is closed, not reused.
    client.release(broken);
  }
}

async function inSnapshot<T>(pool: pg.Pool, read: (db: Reader) => Promise<T>): Promise<T> {
  const client = await answered(pool.connect());
  let broken: Error | undefined;
  try {
    const [, result] = await Promise.all([
      answered(client.query('begin isolation level repeatable read read only')),
      read(readerOn(client)),
    ]);
    return result;
  } finally {
    // A read transaction changed nothing, so it ends in a rollback after success too.
    await client.query('rollback').catch((failed: Error) => {
      broken = failed;
    });
    client.release(broken);
  }
}

// At any time there is one open connection, one attempt, or one wait. `retryLater` is called once for
// the end of each, so attempts neither multiply nor escape close().
async function listenOn(
  settings: pg.ClientConfig,
  listener: {
    channel: string;
    heard: (payload: string) => void;
    onError: (error: Error) => void;
    reconnect_after_ms: number;
  },
) {
  const { channel, heard, onError } = listener;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function connect(): Promise<void> {
    const next = new pg.Client(settings);
    client = next;
    next.on('notification', (message) => heard(message.payload ?? ''));
    next.on('error', onError);
    try {
      await next.connect();
      await next.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      // Not awaited: a server that refuses but keeps the connection open would delay the next attempt.
      void next.end();
      throw error;
    }
    // Only from here: a failed attempt rejects and also emits 'end', and must count once.
    next.once('end', retryLater);
  }

  function retryLater(): void {
    if (!closed) timer = setTimeout(retry, listener.reconnect_after_ms);
  }

  function retry(): void {
    connect().then(
      () => heard(''),
      (error: Error) => {
        if (closed) return;
        onError(error);
        retryLater();
      },
    );
  }

  await connect();
  return {
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await client?.end();
    },
  };
}

/** PostgreSQL's code of an error, such as 23505 for a duplicate; undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

export const unique_violation = '23505';
export const disk_full = '53100';

// Classes of SQLSTATE: connections, transactions that met, tables and rights, resources, objects in use, an operator, and the system below.
const away_classes = new Set(['08', '40', '42', '53', '55', '57', '58']);
const read_only = '25006';

/**
 * The same statement with the same values can succeed later: the database cannot be reached, is busy or full, accepts no writes, or has other
 * tables or rights than this service expects. No value is at fault.
 */
export function isAway(error: unknown): boolean {
  if (error instanceof Disconnected) return true;
  const code = errorCode(error);
  return code !== undefined && (away_classes.has(code.slice(0, 2)) || code === read_only);
}
