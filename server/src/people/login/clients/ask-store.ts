import type { ClientScope } from '@gantry/contract/people/clients.ts';
import type { Reader, Tx } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';

export interface AskRow {
  id: string;
  user_id: string;
  session_id: string;
  client_id: string;
  client_name: string;
  redirect_uri: string;
  state: string | null;
  resource: string;
  scopes: ClientScope[];
  code_challenge: string;
  expires_at: string;
}

export type NewAsk = Omit<AskRow, 'id' | 'expires_at'>;

interface Limits {
  minutes: number;
  most: number;
}

/** The oldest ones of the person make room. */
export async function insert(tx: Tx, ask: NewAsk, { minutes, most }: Limits): Promise<AskRow | undefined> {
  await tx.run(sql`
    delete from client_ask where user_id = ${ask.user_id} and id not in (
      select id from client_ask where user_id = ${ask.user_id} order by expires_at desc limit ${most - 1})`);
  return await tx.one<AskRow>(sql`
    insert into client_ask (user_id, session_id, client_id, client_name, redirect_uri, state, resource, scopes, code_challenge, expires_at)
    values (${ask.user_id}, ${ask.session_id}, ${ask.client_id}, ${ask.client_name}, ${ask.redirect_uri}, ${ask.state}, ${ask.resource},
      ${ask.scopes}, ${ask.code_challenge}, clock_now() + make_interval(mins => ${minutes})) returning *`);
}

interface Deciding {
  id: string;
  user_id: string;
  session_id: string;
}

export const find = async (db: Reader, { id, user_id, session_id }: Deciding) =>
  await db.one<AskRow>(sql`
    select * from client_ask where id = ${id} and user_id = ${user_id} and session_id = ${session_id} and expires_at > clock_now()`);

/** False when it was decided before. */
export const take = async (tx: Tx, id: string) => (await tx.run(sql`delete from client_ask where id = ${id}`)) === 1;

export const removeOf = async (tx: Tx, user_id: string) =>
  await tx.run(sql`delete from client_ask where user_id = ${user_id}`);

export const forgetOld = async (tx: Tx) => await tx.run(sql`delete from client_ask where expires_at < clock_now()`);
