import type { EntryPrincipal } from '../access/acl.ts';
import type { Reader } from '../database/database.ts';
import * as store from './store.ts';

/** The names of the principals in these entries, by id. Users have their e-mail as name. */
export async function principalNames(
  db: Reader,
  entries: readonly EntryPrincipal[],
): Promise<(id: string | null) => string | null> {
  const ids = entries.flatMap(({ principal_id }) => principal_id ?? []);
  const names = new Map((await store.names(db, ids)).map(({ id, name }) => [id, name]));
  return (id) => id && (names.get(id) ?? id);
}
