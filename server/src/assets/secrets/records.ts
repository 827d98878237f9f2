import type { Secret } from '@gantry/contract/assets/secrets.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import { findReadable } from '../registry/find.ts';
import type { SecretParts } from './parts.ts';
import type { SecretRow } from './store.ts';

/** With the names of the deployed agents that the caller may read, in the order of the rows. */
export async function toSecrets(
  { db, findUsers }: Pick<SecretParts, 'db' | 'findUsers'>,
  caller: SignedInCaller,
  rows: readonly SecretRow[],
): Promise<Secret[]> {
  const uses = await findUsers(
    db,
    rows.map(({ id }) => id),
  );
  const readable = await findReadable(db, caller, [...new Set(uses.map(({ agent_id }) => agent_id))]);
  const names = new Map(readable.map(({ id, name }) => [id, name]));
  return rows.map(({ team_id: _, agent_id: __, store: ___, ...row }) => ({
    ...row,
    used_by: uses
      .filter(({ secret_id }) => secret_id === row.id)
      .flatMap(({ agent_id }) => names.get(agent_id) ?? [])
      .toSorted(),
  }));
}
