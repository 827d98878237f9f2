// The pause of a key whose call cost more than was held for it. The transaction that settles the call begins it, so no later call is admitted.
import type { GatewayKey } from '@gantry/contract/keys.ts';
import { formatUsd } from '@gantry/contract/money.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../access/authorize.ts';
import { actorOf, systemCaller, type Caller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import { theOrg } from '../access/subject.ts';
import { append } from '../audit/append.ts';
import type { Tx } from '../database/database.ts';
import { pauseAccounts, resumeAccount } from '../ledger/accounts.ts';
import type { Breach } from '../ledger/books.ts';
import { signedIn } from '../principals/signed-in.ts';
import { showKey } from './list.ts';
import type { KeyParts } from './parts.ts';
import { loadKey, teamOfKey } from './record.ts';

/** Its statements are the last of their transaction. */
export async function pauseKeys(tx: Tx, breaches: readonly Breach[]): Promise<void> {
  await pauseAccounts(
    tx,
    breaches.map(({ call }) => call.key_id),
  );
  for (const { call, held, cost } of breaches)
    await append(
      tx,
      {
        event: 'key.paused',
        outcome: 'done',
        actor: actorOf(systemCaller('system.pause_key')),
        team: call.team,
        asset: call.agent === null ? null : `agents/${call.agent}`,
        ip: null,
        request_id: null,
        detail: {
          key: call.key,
          account_id: call.key_id,
          model: call.model,
          held_usd: formatUsd(held),
          cost_usd: formatUsd(cost),
        },
      },
      [],
    );
}

/** For an admin of the key's team, also when the key is one's own. */
export async function resumeKey(parts: KeyParts, caller: Caller, id: string): Promise<GatewayKey> {
  const user = signedIn(caller);
  const row = await loadKey(parts.db, user, id);
  const team = teamOfKey(row);
  const grant = team === null ? authorize(user, 'key.manage_org', theOrg) : authorize(user, 'key.manage', team);
  await change(parts.db, grant, 'key.resumed', async (tx, note) => {
    if (!(await resumeAccount(tx, id)))
      throw new Problem('conflict', { detail: `The key ${row.prefix}… is not paused.` });
    note({ key: row.prefix, key_alias: row.alias, scope: row.scope, for: row.scope_name });
  });
  return await showKey(parts, caller, id);
}
