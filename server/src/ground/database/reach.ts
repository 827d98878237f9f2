import { BlockList, isIPv6 } from 'node:net';
import type { Reader } from './database.ts';
import { sql } from './sql.ts';

export interface Reach {
  /** The server's address for this connection; null on a socket of this machine. */
  address: string | null;
  encrypted: boolean;
}

/** The path of the connection to the database. */
export async function reachOf(db: Reader): Promise<Reach> {
  const row = await db.one<Reach>(sql`
    select host(inet_server_addr()) as address, coalesce(ssl, false) as encrypted
    from (select 1) as here left join pg_stat_ssl on pid = pg_backend_pid()`);
  if (row === undefined) throw new Error('PostgreSQL reports no connection');
  return row;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** True for an unencrypted connection over a network. */
export function isExposed({ address, encrypted }: Reach): boolean {
  return address !== null && !encrypted && !loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
