import type { SignedInCaller } from '../../governance/access/caller.ts';
import type { Found, Wanted } from '../../ground/copies/copies.ts';
import type { Database } from '../../ground/database/database.ts';
import type { ReadAsOf } from '../../people/login/read-as-of.ts';

/** For tests that call handlers without a session: no copies, and the caller as given. */
export function readNow(db: Database): ReadAsOf {
  return async <W extends Record<string, Wanted<unknown>>>(caller: SignedInCaller, wants: W) => {
    const found = await Promise.all(
      Object.entries(wants).map(async ([name, { kind, key }]) => [name, (await kind.load(db, [key]))[0]] as const),
    );
    return { ...(Object.fromEntries(found) as Found<W>), caller };
  };
}
