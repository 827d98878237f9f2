// What needs the attention of a holder or an admin: keys that end or wait, and budgets that are nearly spent.
import type { GatewayKey } from '@gantry/contract/models/keys.ts';
import type { NearLimit } from '@gantry/contract/telling/home.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import { grantFor } from '../../../governance/access/reading.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { nearLimits } from '../../ledger/near-limits.ts';
import { findReadable } from '../../../assets/registry/find.ts';
import { nameOf } from './account-owner.ts';
import { isListed, readsBudget } from '../policy.ts';
import { toRecords } from '../record.ts';
import * as store from '../store.ts';

interface OfTeam {
  /** All teams when absent. */
  team_id?: string | undefined;
  limit: number;
}

export async function listDueKeys(
  db: Reader,
  caller: SignedInCaller,
  { days, team_id, limit }: OfTeam & { days: number },
): Promise<GatewayKey[]> {
  const rows = await store.dueKeys(db, caller, { days, team_id, limit });
  return await toRecords(
    db,
    rows.filter((row) => isListed(caller, row)),
  );
}

// A caller with more of them sees the first ones, and a sum tells them no more.
const max_accounts = 1000;

export async function listNearBudgets(
  db: Reader,
  caller: SignedInCaller,
  { percent, team_id, limit }: OfTeam & { percent: number },
): Promise<NearLimit[]> {
  const rows = await store.accountsNearLimits(db, caller, { percent, team_id, limit: max_accounts });
  const agents = new Set(
    (
      await findReadable(
        db,
        caller,
        rows.flatMap(({ agent_id }) => agent_id ?? []),
      )
    ).map(({ id }) => id),
  );
  const readable = rows.filter(
    (row) =>
      readsBudget(caller, row) &&
      (row.agent_id === null || agents.has(row.agent_id) || grantFor(caller, 'read_costs', row.team_id) !== undefined),
  );
  const accounts = readable.map((row) => ({ id: row.account_id, of: nameOf(row) }));
  return await nearLimits(db, accounts, { percent, limit });
}
