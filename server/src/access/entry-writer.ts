// Writes ACL entries. A principal stays until the commit of an entry about it: its removal waits, and then takes the entry along.
import { actions as allActions, type Action } from '@gantry/contract/roles.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { sql } from '../database/sql.ts';
import { entriesOf, entryColumns, isAbout, whereAbout, type EntryPrincipal, type StoredEntry } from './acl.ts';
import type { GovernedTx } from './change.ts';
import type { Entry } from './subject.ts';

/** Nobody removes this principal until the transaction ends; false for one who is gone. Principals stand above and hand it down. */
export type HoldPrincipal = (tx: GovernedTx, principal: EntryPrincipal) => Promise<boolean>;

export interface EntryWriter {
  writeEntries: (tx: GovernedTx, asset_id: string, entries: readonly Entry[]) => Promise<void>;
  /** The principal may do exactly this from now on. Without an action their entry goes; undefined then. */
  setActions: Write<StoredEntry | undefined>;
  /** Adds to what the principal may do. */
  giveActions: Write<void>;
  /** Takes from what the principal may do, and answers what they could do of it. */
  takeActions: Write<Action[]>;
}

type Write<Answer> = (
  tx: GovernedTx,
  asset_id: string,
  principal: EntryPrincipal,
  actions: readonly Action[],
) => Promise<Answer>;

/** Its functions throw `invalid` for a principal who is gone. */
export function entryWriter(holdPrincipal: HoldPrincipal): EntryWriter {
  const hold = async (tx: GovernedTx, principal: EntryPrincipal) => {
    if (!(await holdPrincipal(tx, principal)))
      throw new Problem('invalid', {
        detail: `The ${principal.principal_type} that this is about was removed at this moment.`,
      });
  };
  const setActions: EntryWriter['setActions'] = async (tx, asset_id, principal, actions) => {
    if (actions.length === 0) {
      await tx.write(
        'permission',
        sql`delete from permission where asset_id = ${asset_id} and ${whereAbout(principal)} returning id`,
      );
      return undefined;
    }
    await hold(tx, principal);
    const [row] = await tx.write<StoredEntry>(
      'permission',
      sql`insert into permission (asset_id, principal_type, principal_id, actions)
          values (${asset_id}, ${principal.principal_type}, ${principal.principal_id}, ${inOrder(actions)})
          on conflict (asset_id, principal_type, principal_id) do update set actions = excluded.actions returning ${entryColumns}`,
    );
    if (row === undefined) throw new Error('an entry was written and did not come back');
    return row;
  };
  return {
    setActions,
    writeEntries: async (tx, asset_id, entries) => {
      for (const entry of entries) {
        await hold(tx, entry);
        await tx.write(
          'permission',
          sql`insert into permission (asset_id, principal_type, principal_id, actions)
              values (${asset_id}, ${entry.principal_type}, ${entry.principal_id}, ${entry.actions}) returning id`,
        );
      }
    },
    giveActions: async (tx, asset_id, principal, given) => {
      const had = await actionsOf(tx, asset_id, principal);
      if (given.every((action) => had.includes(action))) return;
      await setActions(tx, asset_id, principal, [...had, ...given]);
    },
    takeActions: async (tx, asset_id, principal, taken) => {
      const had = await actionsOf(tx, asset_id, principal);
      const left = had.filter((action) => !taken.includes(action));
      if (left.length < had.length) await setActions(tx, asset_id, principal, left);
      return had.filter((action) => taken.includes(action));
    },
  };
}

async function actionsOf(tx: GovernedTx, asset_id: string, principal: EntryPrincipal): Promise<Action[]> {
  return (await entriesOf(tx, asset_id)).find((entry) => isAbout(entry, principal))?.actions ?? [];
}

function inOrder(actions: readonly Action[]): Action[] {
  return allActions.filter((action) => actions.includes(action));
}
