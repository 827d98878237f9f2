// Writes ACL entries. The removal of a principal waits for the commit of an entry about it, and then deletes that entry too.
import { actions as allActions, type Action } from '@gantry/contract/roles.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { sql } from '../../ground/database/sql.ts';
import { entriesOf, entryColumns, isAbout, whereAbout, type EntryPrincipal, type StoredEntry } from './acl.ts';
import type { GovernedTx } from './change.ts';
import type { Entry } from './subject.ts';

/** Locks this principal until the transaction ends; false for a removed one. A higher folder provides it. */
export type HoldPrincipal = (tx: GovernedTx, principal: EntryPrincipal) => Promise<boolean>;

export interface EntryWriter {
  writeEntries: (tx: GovernedTx, asset_id: string, entries: readonly Entry[]) => Promise<void>;
  /** Sets the principal's actions. Without an action it deletes the entry and returns undefined. */
  setActions: Write<StoredEntry | undefined>;
  /** Adds actions to the principal's entry. */
  giveActions: Write<void>;
  /** Removes actions from the principal's entry, and returns those that it had. */
  takeActions: Write<Action[]>;
}

type Write<Answer> = (
  tx: GovernedTx,
  asset_id: string,
  principal: EntryPrincipal,
  actions: readonly Action[],
) => Promise<Answer>;

/** The functions throw `invalid` for a removed principal. */
export function entryWriter(holdPrincipal: HoldPrincipal): EntryWriter {
  const hold = async (tx: GovernedTx, principal: EntryPrincipal) => {
    if (!(await holdPrincipal(tx, principal)))
      throw new Problem('invalid', {
        detail: `The ${principal.principal_type} of this entry was removed at this moment.`,
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
    if (row === undefined) throw new Error('the statement returned no row');
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
