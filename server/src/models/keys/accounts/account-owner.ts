import { printRef } from '@gantry/contract/refs.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { OfAccount } from '../policy.ts';
import * as store from '../store.ts';

/** Whose calls an account pays for. */
export interface AccountOwner {
  /** Such as `team:ml`. */
  name: string;
  /** Null for the organisation. */
  team: { id: string; name: string } | null;
  agent: { id: string; ref: string } | null;
  /** The member, or the holder of the key. */
  user_id: string | null;
}

/** Undefined when the owner is gone, and for a key that has ended. */
export async function accountOwner(db: Reader, account_id: string): Promise<AccountOwner | undefined> {
  const [row] = await store.ownersOfAccounts(db, [account_id]);
  if (row === undefined) return undefined;
  const { team_id, team, agent_id, agent, user_id } = row;
  return {
    name: nameOf(row),
    team: team_id === null || team === null ? null : { id: team_id, name: team },
    agent: agent_id === null || agent === null ? null : { id: agent_id, ref: printRef({ kind: 'agent', name: agent }) },
    user_id,
  };
}

/** By account id, with what the rules for readers need. */
export async function findBudgets(
  db: Reader,
  account_ids: readonly string[],
): Promise<Map<string, { name: string; account: OfAccount; agent_id: string | null }>> {
  const rows = await store.ownersOfAccounts(db, account_ids);
  return new Map(rows.map((row) => [row.account_id, { name: nameOf(row), account: row, agent_id: row.agent_id }]));
}

/** Such as `team:ml`. */
export function nameOf({ prefix, member, agent, machine, team }: store.AccountRow): string {
  if (prefix !== null) return `key:${prefix}`;
  if (member !== null) return `${member} in team:${team}`;
  if (agent !== null) return printRef({ kind: 'agent', name: agent });
  if (machine !== null) return `${machine} in team:${team}`;
  return team === null ? 'org' : `team:${team}`;
}
