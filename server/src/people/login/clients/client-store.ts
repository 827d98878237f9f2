import type { Reader, Tx } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';

export interface RegisteredClient {
  id: string;
  name: string;
  redirect_uris: string[];
}

export const find = async (db: Reader, id: string) =>
  await db.one<RegisteredClient>(sql`select id, name, redirect_uris from oauth_client where id = ${id}`);

export interface Limits {
  /** Of one network in an hour. */
  per_network: number;
  /** Of all that nobody has allowed. */
  unused: number;
}

/** False at a limit. The lock orders registrations, so that many at once do not pass the limit together. */
export async function insert(
  tx: Tx,
  { id, name, redirect_uris }: RegisteredClient,
  { from, limits }: { from: string; limits: Limits },
): Promise<boolean> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtext('oauth_client'))`);
  const inserted = await tx.run(sql`
    insert into oauth_client (id, name, redirect_uris, registered_from)
    select ${id}, ${name}, ${redirect_uris}, ${from}
    where (select count(*) from oauth_client where not is_allowed) < ${limits.unused}
      and (select count(*) from oauth_client where not is_allowed and registered_from = ${from}
        and registered_at > clock_now() - interval '1 hour') < ${limits.per_network}`);
  return inserted === 1;
}

export const noteAllowed = async (tx: Tx, id: string) =>
  await tx.run(sql`update oauth_client set is_allowed = true where id = ${id}`);

/** Nobody has allowed it within the hours, or its last grant has ended. */
export const forgetUnused = async (tx: Tx, hours: number) =>
  await tx.run(sql`
    delete from oauth_client c where registered_at < clock_now() - make_interval(hours => ${hours})
      and not exists (select from client_grant g where g.client_id = c.id)`);
