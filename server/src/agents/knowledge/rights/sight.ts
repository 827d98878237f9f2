// Which documents of a base a caller finds. What the snapshot says counts, and so does what the newest config of the base says: a right that is taken away there
// acts on the next search, and a right that is given acts when a refresh has read the documents again.
import type { EndCaller } from '../../../governance/access/caller.ts';
import { canonicalJson } from '../../../governance/audit/canonical-json.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { findVersion, type AssetRecord } from '../../../assets/registry/find.ts';
import type { Sight } from '../chunk-store.ts';
import { documentsOf, type DocumentRow } from '../document-store.ts';
import { baseConfig } from '../searched.ts';
import { keysOfCaller, keysOfNames } from './reader-keys.ts';
import { readersOf } from './readers-of.ts';

interface SightOfBase {
  sees: (document: Pick<DocumentRow, 'path' | 'readers'>) => boolean;
  /** By the newest config alone. */
  isOpen: (document: Pick<DocumentRow, 'path'>) => boolean;
}

export async function sightOf(db: Reader, caller: EndCaller | undefined, base: AssetRecord): Promise<SightOfBase> {
  const readers = keysOfCaller(caller);
  const newest = await findVersion(db, base.id, 'latest');
  const { rights } = newest === undefined ? { rights: [] } : await baseConfig(db, base, newest.digest);
  const { keys } = await keysOfNames(
    db,
    rights.flatMap((rule) => rule.readers),
  );
  const isNamed = (names: readonly string[]) => names.some((name) => readers.includes(keys.get(name) ?? ''));
  const isOpen = ({ path }: Pick<DocumentRow, 'path'>) => {
    const names = readersOf(path, rights);
    return names === undefined || isNamed(names);
  };
  return {
    sees: (document) =>
      isOpen(document) && (document.readers === null || document.readers.some((key) => readers.includes(key))),
    isOpen,
  };
}

/** For the SQL of a search: each part with what the caller finds of it. */
export async function withSight<Part extends { base: AssetRecord; snapshot: { id: string; config: string } }>(
  db: Reader,
  caller: EndCaller | undefined,
  parts: readonly Part[],
): Promise<(Part & { sight: Sight })[]> {
  return await Promise.all(
    parts.map(async (part) => {
      const hidden = await hiddenByNewest(db, caller, part);
      return { ...part, sight: { readers: keysOfCaller(caller), hidden } };
    }),
  );
}

/** Documents of the snapshot. Names of readers are looked up only when the newest config has other rights than the snapshot. */
async function hiddenByNewest(
  db: Reader,
  caller: EndCaller | undefined,
  { base, snapshot: { id, config } }: { base: AssetRecord; snapshot: { id: string; config: string } },
): Promise<string[]> {
  const newest = await findVersion(db, base.id, 'latest');
  if (newest === undefined || newest.digest === config) return [];
  const [before, now] = [await baseConfig(db, base, config), await baseConfig(db, base, newest.digest)];
  if (canonicalJson(before.rights) === canonicalJson(now.rights)) return [];
  const { isOpen } = await sightOf(db, caller, base);
  return (await documentsOf(db, id)).filter((one) => !isOpen(one)).map((one) => one.id);
}
