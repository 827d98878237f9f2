// One change of an asset's ACL: the entries, the shown visibility and the audit entry commit together.
import type { Action } from '@gantry/contract/roles.ts';
import {
  entriesOf,
  hasAdmin,
  isAbout,
  lastAdmin,
  type EntryPrincipal,
  type StoredEntry,
} from '../../governance/access/acl.ts';
import { authorize, type Grant } from '../../governance/access/authorize.ts';
import { change } from '../../governance/access/change.ts';
import { shownVisibility } from '../../governance/access/visibility.ts';
import type { Database } from '../../ground/database/database.ts';
import type { AssetRecord } from '../../assets/registry/find.ts';
import { holdAsset } from '../../assets/registry/load-asset.ts';
import { setVisibility } from '../../assets/registry/versions/version.ts';
import { setActions } from '../../assets/registry/principals/entries.ts';

/** The principal's new actions, from the current ones. No action deletes the entry. */
export type Decide = (before: readonly Action[]) => readonly Action[];

/** Throws `last_admin` if no entry with `admin` would remain. Undefined if the principal has no entry afterwards. */
export async function changeEntries(
  db: Database,
  grant: Grant<'permission.change'>,
  { asset, principal, decide }: { asset: AssetRecord; principal: EntryPrincipal & { shown: string }; decide: Decide },
): Promise<StoredEntry | undefined> {
  return await change(db, grant, 'permission.changed', async (tx, note) => {
    // A transfer since the decision may have changed the rights.
    authorize(grant.caller, 'permission.change', await holdAsset(tx, asset.id, grant.caller));
    const before = await entriesOf(tx, asset.id);
    const theirs = before.find((entry) => isAbout(entry, principal));
    const had = theirs?.actions ?? [];
    const has = decide(had);
    if (had.length === has.length && has.every((action) => had.includes(action))) return theirs;
    const others = before.filter((entry) => entry !== theirs);
    if (had.includes('admin') && !hasAdmin([...others, { actions: has }]))
      throw lastAdmin(principal.shown, [asset.ref]);
    const written = await setActions(tx, asset.id, principal, has);
    const shown = shownVisibility(before, asset.team.id);
    const visibility = shownVisibility([...others, ...(written === undefined ? [] : [written])], asset.team.id);
    if (visibility !== shown) await setVisibility(tx, asset.id, visibility);
    note({
      principal: principal.shown,
      before: had,
      after: written?.actions ?? [],
      ...(visibility === shown ? {} : { visibility: { before: shown, after: visibility } }),
    });
    return written;
  });
}
