// The one way to PostgreSQL. Reads go to the pool; writes need a transaction. The transaction that may write governed tables
// is handed out by access/change.ts alone, which is also what puts the audit entry into it.
import pg from 'pg';
import { compile, type Sql } from './sql.ts';

export interface Reader {
  all<Row extends object>(query: Sql): Promise<Row[]>;
  one<Row extends object>(query: Sql): Promise<Row | undefined>;
}

/** An open transaction. Governed tables refuse to commit what it writes unless an audit entry stands beside it. */
export interface Tx extends Reader {
  /** Number of rows it touched. */
  run(query: Sql): Promise<number>;
}

export interface Database extends Tx {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Calls back for every NOTIFY on the channel, and once after each reconnect, since some may have been missed. */
  listen(channel: string, heard: (payload: string) => void): Promise<{ close(): Promise<void> }>;
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

// Columns arrive as JSON carries them: times as ISO text in UTC, 64-bit integers as numbers (none here passes 2^53).
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
  onError?: (error: Error) => void;
}

export function openDatabase(connection: Connection, { max = 16, onError = () => {} }: PoolSettings = {}): Database {
  const settings: pg.PoolConfig = {
    ...connection,
    types,
    options: '-c timezone=UTC -c statement_timeout=60000',
    application_name: 'gantry',
  };
  const pool = new pg.Pool({ ...settings, max, connectionTimeoutMillis: 10_000, idleTimeoutMillis: 30_000 });
  let closing = false;
  // An idle connection that the server closes must not end the process; the next query opens another.
  pool.on('error', (error) => {
    if (!closing) onError(error);
  });
  return {
    ...readerOn(pool),
    run: async (query) => (await pool.query(compile(query))).rowCount ?? 0,
    transaction: async (work) => await inTransaction(pool, work),
    listen: async (channel, heard) => await listenOn(settings, channel, heard, onError),
    close: async () => {
      closing = true;
      await pool.end();
    },
  };
}

function readerOn(client: pg.Pool | pg.PoolClient): Reader {
  const all = async <Row extends object>(query: Sql): Promise<Row[]> =>
    (await client.query<Row & pg.QueryResultRow>(compile(query))).rows;
  return { all, one: async <Row extends object>(query: Sql) => (await all<Row>(query))[0] };
}

async function inTransaction<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // One that breaks between two statements tells it here alone, and an error that nobody hears ends the process; the next statement fails.
  const onBroken = (error: Error) => (broken = error);
  client.on('error', onBroken);
  try {
    // READ COMMITTED: a higher level would read a stale audit head and fail at commit (see migrations, audit.append).
    await client.query('begin isolation level read committed');
    const result = await work({
      ...readerOn(client),
      run: async (query) => (await client.query(compile(query))).rowCount ?? 0,
    });
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failed: Error) => {
      broken = failed;
    });
    throw error;
  } finally {
    client.off('error', onBroken);
    // A connection that broke, or whose rollback failed, is thrown away, not reused.
    client.release(broken);
  }
}

const reconnect_after_ms = 1000;

async function listenOn(
  settings: pg.ClientConfig,
  channel: string,
  heard: (payload: string) => void,
  onError: (error: Error) => void,
) {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function connect(): Promise<void> {
    const next = new pg.Client(settings);
    next.on('notification', (message) => heard(message.payload ?? ''));
    next.on('error', onError);
    next.on('end', () => {
      if (!closed) timer = setTimeout(retry, reconnect_after_ms);
    });
    await next.connect();
    client = next;
    await next.query(`listen ${pg.escapeIdentifier(channel)}`);
  }

  function retry(): void {
    connect().then(
      () => heard(''),
      (error: Error) => {
        onError(error);
        if (!closed) timer = setTimeout(retry, reconnect_after_ms);
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

/** PostgreSQL's own code of an error, such as 23505 for a value that must be unique; undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

export const unique_violation = '23505';
