import type { EntryPrincipal } from '../../../governance/access/acl.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { findNames } from '../../../people/service-principals/find.ts';
import * as store from '../store.ts';

/** The names of the principals in these entries, by id. Users have their e-mail as name. */
export async function principalNames(
  db: Reader,
  entries: readonly EntryPrincipal[],
): Promise<(id: string | null) => string | null> {
  const ids = entries.flatMap(({ principal_id }) => principal_id ?? []);
  const [principals, assets] = await Promise.all([findNames(db, ids), store.assetNames(db, ids)]);
  const names = new Map([...principals, ...assets].map(({ id, name }) => [id, name]));
  return (id) => id && (names.get(id) ?? id);
}
