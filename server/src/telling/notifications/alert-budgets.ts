// Budgets that have reached a threshold become entries of the audit log, which notifications, mail and webhooks follow. Promise: one entry
// per limit, window and threshold, from any number of processes and through a crash. The row that remembers it commits with the entry.
import { formatUsd } from '@gantry/contract/formats/money.ts';
import { authorize } from '../../governance/access/authorize.ts';
import { systemCaller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { isAway, type Database } from '../../ground/database/database.ts';
import { accountOwner } from '../../models/keys/accounts/account-owner.ts';
import { endOf } from '../../models/ledger/windows.ts';
import { startLoop, type Loop } from '../../ground/queue/loop.ts';
import * as store from './alert-store.ts';

const look_every_ms = 15_000;
const at_a_time = 200;

/** True when more limits may wait. A limit that fails alone delays no other one, and is tried again with the next look. */
export async function alertBudgets(db: Database, { onError }: { onError: (error: unknown) => void }): Promise<boolean> {
  const reached = await store.reachedLimits(db, at_a_time);
  const failed: unknown[] = [];
  for (const limit of reached)
    await alert(db, limit).catch((error: unknown) => {
      if (isAway(error)) throw error;
      failed.push(error);
    });
  if (failed.length > 0) onError(new Error(`${failed.length} budgets alert nobody`, { cause: failed[0] }));
  return reached.length === at_a_time && failed.length === 0;
}

async function alert(db: Database, limit: store.ReachedLimit): Promise<void> {
  const grant = authorize(systemCaller('system.alert'), 'system.alert', theOrg);
  await change(db, grant, 'budget.reached', async (tx, note) => {
    if (!(await store.recordReached(tx, limit))) return;
    const { account_id, window, start, percent, spent_nano, limit_nano } = limit;
    const owner = await accountOwner(tx, account_id);
    if (owner === undefined) return;
    const { name, team, agent } = owner;
    note(
      {
        account: name,
        account_id,
        window,
        percent,
        spent_usd: formatUsd(spent_nano),
        limit_usd: formatUsd(limit_nano),
        resets_at: endOf(window, start),
      },
      { ...(team !== null && { team: team.name }), ...(agent !== null && { asset: agent.ref }) },
    );
  });
}

/** Looks at intervals, so an admission writes nothing for an alert. */
export function startBudgetAlerts(
  db: Database,
  { onError }: { onError: (error: unknown) => void },
): Pick<Loop, 'stop'> {
  return startLoop(async () => await alertBudgets(db, { onError }), {
    pause_ms: look_every_ms,
    failed_pause_ms: look_every_ms,
    onError,
  });
}
