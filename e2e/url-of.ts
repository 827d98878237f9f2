import type { Connection } from '../server/src/ground/database/database.ts';

/** A connection as DATABASE_URL has it. */
export function urlOf({ host = '', port, user, password = '', database }: Connection): string {
  const at = new URL(`postgresql://localhost:${port}/${database}`);
  at.username = user ?? '';
  at.password = password;
  at.searchParams.set('host', host);
  return at.href;
}
