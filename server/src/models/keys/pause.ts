// The pause of a key whose call cost more than was held for it. The transaction that settles the call begins it, so no later call is admitted.
import type { GatewayKey } from '@gantry/contract/models/keys.ts';
import { formatUsd } from '@gantry/contract/formats/money.ts';
import { actorOf, systemCaller, type Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { append } from '../../governance/audit/append.ts';
import type { Tx } from '../../ground/database/database.ts';
import { pauseAccounts, resumeAccount } from '../ledger/accounts.ts';
import type { Breach } from '../ledger/books.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { notPaused, requireResume } from './can-use-key.ts';
import { showKey } from './list.ts';
import type { KeyParts } from './parts.ts';
import { loadKey } from './record.ts';

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

export async function resumeKey(parts: KeyParts, caller: Caller, id: string): Promise<GatewayKey> {
  const user = signedIn(caller);
  const row = await loadKey(parts.db, user, id);
  await change(parts.db, requireResume(user, row), 'key.resumed', async (tx, note) => {
    if (!(await resumeAccount(tx, id))) throw notPaused(row);
    note({ key: row.prefix, key_alias: row.alias, scope: row.scope, for: row.scope_name });
  });
  return await showKey(parts, caller, id);
}
