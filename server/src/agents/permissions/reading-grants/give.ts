// A grant to read costs or the log. Nobody gives it to themselves: it would outlive the role that allowed it.
import { Problem } from '@gantry/contract/problems.ts';
import type { ReadingGrant } from '@gantry/contract/people/reading-grants.ts';
import type { ReadingRight } from '@gantry/contract/roles.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { grantById, putGrant, toChange } from '../../../governance/access/reading-grants.ts';
import type { Database } from '../../../ground/database/database.ts';
import { loadTeam } from '../../../people/principals/load-team.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { holdReader } from './hold-reader.ts';
import { findReader } from './find-grantee.ts';
import { grantRecords } from './records.ts';

export interface Asked {
  right: ReadingRight;
  principal: string;
  /** Null for the organisation. */
  team: string | null;
  expires_in_seconds: number | null;
}

/** A repeated grant moves its end. */
export async function give(db: Database, caller: Caller, asked: Asked): Promise<ReadingGrant> {
  const user = signedIn(caller);
  const team = asked.team === null ? undefined : await loadTeam(db, asked.team);
  const leave = authorize(user, ...toChange(team?.id ?? null, team?.name));
  const { shown, ...grantee } = await findReader(db, asked.principal);
  if (grantee.principal_id === user.id)
    throw new Problem('forbidden', {
      detail: 'Nobody gives a grant to themselves. As an admin you read it by your role.',
      hint: 'Another admin can give it.',
    });
  if (grantee.principal_type === 'principal' && asked.right === 'read_audit')
    throw new Problem('invalid', {
      detail: 'A service principal cannot read the log. The log is copied to other systems by AUDIT_PUSH settings.',
      errors: [{ pointer: '/principal', message: 'must be a user or a group' }],
    });
  const id = await change(db, leave, 'grant.created', async (tx, note) => {
    await holdReader(tx, grantee, team?.id ?? null);
    const { right, expires_in_seconds } = asked;
    const put = await putGrant(tx, {
      right,
      ...grantee,
      team_id: team?.id ?? null,
      granted_by: user.id,
      expires_in_seconds,
    });
    const after = await grantById(tx, put.id);
    const { before } = put;
    note(
      {
        right,
        principal: shown,
        on: team === undefined ? 'org' : `team:${team.name}`,
        expires_at: after?.expires_at ?? null,
        ...(before !== undefined && { before: { expires_at: before.expires_at } }),
      },
      before === undefined ? {} : { event: 'grant.changed' },
    );
    return put.id;
  });
  const row = await grantById(db, id);
  const [record] = row === undefined ? [] : await grantRecords(db, [row]);
  if (record === undefined) throw new Problem('not_found');
  return record;
}
