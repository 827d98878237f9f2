// The checks before a change of a key. The endpoints call them, and a shown key has their answers.
import type { GatewayKeyDetail } from '@gantry/contract/models/keys.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize, type Grant } from '../../governance/access/authorize.ts';
import { passes } from '../../governance/access/can.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Reader } from '../../ground/database/database.ts';
import { settings } from '../../people/principals/find.ts';
import { isOwn } from './policy.ts';
import { teamOfKey } from './record.ts';
import type { Scope } from './scope.ts';
import * as store from './store.ts';
import type { KeyRow } from './store.ts';

export async function canUseKey(db: Reader, user: SignedInCaller, row: KeyRow): Promise<GatewayKeyDetail['can']> {
  const reveal = async () => {
    authorize(user, 'key.reveal', theOrg);
    await requireReveal(db);
    await sealedValue(db, row.id);
  };
  return {
    'keys.claim': await passes(() => requireClaim(user, row)),
    'keys.resume': await passes(() => requireResume(user, row)),
    'keys.reveal': await passes(reveal),
    'keys.revoke': await passes(() => grantForKey(user, row)),
    'keys.rotate': await passes(() => requireRotation(user, row)),
  };
}

export function requireClaim(user: SignedInCaller, row: KeyRow): Grant {
  const grant = authorize(user, 'key.create_own', theOrg);
  if (!isOwn(user, row))
    throw new Problem('forbidden', { detail: `Only ${row.scope_name} can claim the key ${row.prefix}….` });
  if (row.activated_at !== null || hasEnded(row)) throw notWaiting(row);
  return grant;
}

export function notWaiting({ prefix }: KeyRow): Problem {
  return new Problem('conflict', {
    detail: `The key ${prefix}… does not wait to be claimed.`,
    hint: 'Replace it by another one: svc key rotate',
  });
}

/** The organisation allows to see a key again. */
export async function requireReveal(db: Reader): Promise<void> {
  if ((await settings(db)).reveal_gateway_keys) return;
  throw new Problem('conflict', {
    detail: 'The organisation does not allow to see a key again.',
    hint: 'Give its owner another one: svc key rotate',
  });
}

/** Throws `key_not_recoverable`. */
export async function sealedValue(db: Reader, id: string): Promise<Buffer> {
  const sealed = await store.sealedKey(db, id);
  if (sealed === undefined) throw new Problem('key_not_recoverable');
  return sealed;
}

export function requireRotation(user: SignedInCaller, row: KeyRow): Grant {
  const grant = grantForKey(user, row);
  if (row.scope === 'user' && !isOwn(user, row))
    throw new Problem('forbidden', { detail: `Only ${row.scope_name} can rotate the key ${row.prefix}….` });
  if (row.scope === 'agent' && row.issued)
    throw new Problem('conflict', {
      detail: `The key ${row.prefix}… belongs to a revision of agents/${row.scope_name}.`,
      hint: `A deploy gives it another one: svc deploy agents/${row.scope_name}@<version> --force`,
    });
  if (hasEnded(row)) throw ended(row);
  return grant;
}

export function ended({ prefix }: KeyRow): Problem {
  return new Problem('conflict', {
    detail: `The key ${prefix}… has ended.`,
    hint: 'Create another: svc key create',
  });
}

/** For an admin of the key's team, also when the key is one's own. */
export function requireResume(user: SignedInCaller, row: KeyRow): Grant {
  const team = teamOfKey(row);
  const grant = team === null ? authorize(user, 'key.manage_org', theOrg) : authorize(user, 'key.manage', team);
  if (!row.is_paused) throw notPaused(row);
  return grant;
}

export function notPaused({ prefix }: KeyRow): Problem {
  return new Problem('conflict', { detail: `The key ${prefix}… is not paused.` });
}

export function grantForKey(user: SignedInCaller, row: KeyRow): Grant {
  return grantFor(user, { ...row, team: teamOfKey(row) });
}

/** A key of one's own is for any member; one of a team, an agent or a service principal is for admins of its team. */
export function grantFor(user: SignedInCaller, { team, ...of }: Pick<Scope, 'scope' | 'scope_id' | 'team'>): Grant {
  if (isOwn(user, of)) return authorize(user, 'key.create_own', theOrg);
  if (team === null) return authorize(user, 'key.manage_org', theOrg);
  return authorize(user, 'key.manage', team);
}

function hasEnded({ revoked_at, is_expired }: KeyRow): boolean {
  return revoked_at !== null || is_expired;
}
