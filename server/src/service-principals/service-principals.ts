// Service principals: identities of machines. One has a team, a role in it, globs that narrow what it reaches, and a key. Promises: a key
// is shown once, to a person; what is changed about one acts on its next request; one that is deleted leaves no right behind.
import { namesSomeKind } from '@gantry/contract/asset-globs.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Role } from '@gantry/contract/roles.ts';
import type { ServicePrincipal, ServicePrincipalWithKey } from '@gantry/contract/service-principals.ts';
import { assetsLeftAlone, removeEntriesOf } from '../access/acl.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { change, type GovernedTx } from '../access/change.ts';
import { theOrg, type TeamSubject } from '../access/subject.ts';
import { errorCode, unique_violation, type Database, type Reader } from '../database/database.ts';
import type { Cursors } from '../http/cursor.ts';
import { loadTeam } from '../principals/load-team.ts';
import { signedIn, signedInUser } from '../principals/signed-in.ts';
import { keyDigest, newKey, prefixOf } from './key.ts';
import { principalRecord } from './records.ts';
import * as store from './store.ts';

export interface PrincipalParts {
  db: Database;
  cursors: Cursors;
  /** What keys are kept under. */
  digest_key: Buffer;
}

export async function listPrincipals(
  { db, cursors }: PrincipalParts,
  caller: Caller,
  query: { team?: string | undefined; limit: number; cursor?: string | undefined },
) {
  const user = signedIn(caller);
  authorize(user, 'principal.list', theOrg);
  const scope = ['principals', user.id, query.team];
  const after = cursors.read(query.cursor, scope)?.[0];
  const rows = await store.principals(db, {
    of_teams: user.role === 'admin' ? undefined : user.memberships.map(({ team_id }) => team_id),
    team: query.team,
    after: after === undefined ? undefined : String(after),
    limit: query.limit + 1,
  });
  return cursors.page(rows, query.limit, scope, (row) => [row.name], principalRecord);
}

export async function showPrincipal({ db }: PrincipalParts, caller: Caller, id: string): Promise<ServicePrincipal> {
  const { row, team } = await load(db, id);
  authorize(caller, 'principal.read', team);
  return principalRecord(row);
}

export interface NewServicePrincipal {
  name: string;
  team: string;
  role: Role;
  allowed_assets: string[];
  description: string;
}

export async function createPrincipal(
  parts: PrincipalParts,
  caller: Caller,
  { team: team_name, ...made }: NewServicePrincipal,
): Promise<ServicePrincipalWithKey> {
  const { db } = parts;
  const team = await loadTeam(db, team_name);
  const grant = authorize(caller, 'principal.change', team);
  const user = signedInUser(caller);
  refuseIdle(made.allowed_assets);
  const { id, key } = await change(db, grant, 'principal.created', async (tx, note) => {
    const id = await store.insertPrincipal(tx, { ...made, team_id: team.id, created_by: user.id });
    const key = await issueKey(parts, tx, id, user.id);
    const { name, role, allowed_assets } = made;
    note({ principal: `principal:${name}`, role, allowed_assets, key: prefixOf(key), issued_to: user.email });
    return { id, key };
  }).catch((error: unknown) => {
    if (errorCode(error) === unique_violation)
      throw new Problem('exists', { detail: `There is a service principal ${made.name} already.` });
    throw error;
  });
  return { ...(await readBack(db, id)), key };
}

export async function updatePrincipal(
  { db }: PrincipalParts,
  caller: Caller,
  id: string,
  changes: { [K in keyof store.PrincipalChange]?: store.PrincipalChange[K] | undefined },
): Promise<ServicePrincipal> {
  const { row, team } = await load(db, id);
  const grant = authorize(caller, 'principal.change', team);
  refuseIdle(changes.allowed_assets ?? []);
  await change(db, grant, 'principal.changed', async (tx, note) => {
    const before = await store.lockPrincipal(tx, id);
    if (before === undefined) throw new Problem('not_found');
    const after = {
      role: changes.role ?? before.role,
      allowed_assets: changes.allowed_assets ?? before.allowed_assets,
      description: changes.description ?? before.description,
    };
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    await store.updatePrincipal(tx, id, after);
    note({ principal: `principal:${row.name}`, before, after });
  });
  return await readBack(db, id);
}

/** A new key. What was exchanged for an old one ends with it. */
export async function rotateKey(
  parts: PrincipalParts,
  caller: Caller,
  id: string,
  grace_seconds: number,
): Promise<ServicePrincipalWithKey> {
  const { db } = parts;
  const { row, team } = await load(db, id);
  const grant = authorize(caller, 'principal.change', team);
  const user = signedInUser(caller);
  const key = await change(db, grant, 'principal.key_rotated', async (tx, note) => {
    // Two rotations at once: each ends the key that the other made, or there would be two newest ones.
    if ((await store.lockPrincipal(tx, id)) === undefined) throw new Problem('not_found');
    const ended = await store.endKeys(tx, id, grace_seconds);
    const key = await issueKey(parts, tx, id, user.id);
    note({ principal: `principal:${row.name}`, key: prefixOf(key), issued_to: user.email, ended, grace_seconds });
    return key;
  });
  return { ...(await readBack(db, id)), key };
}

export async function deletePrincipal({ db }: PrincipalParts, caller: Caller, id: string): Promise<void> {
  const { row, team } = await load(db, id);
  const grant = authorize(caller, 'principal.change', team);
  await change(db, grant, 'principal.deleted', async (tx, note) => {
    if ((await store.lockPrincipal(tx, id)) === undefined) throw new Problem('not_found');
    const principal = { principal_type: 'principal', principal_id: id } as const;
    const alone = await assetsLeftAlone(tx, principal);
    if (alone.length > 0)
      throw new Problem('last_admin', {
        detail: `principal:${row.name} is the last who may change who may do what to ${alone.join(', ')}.`,
        hint: 'Grant `admin` to somebody else first.',
      });
    const entries = await removeEntriesOf(tx, principal);
    const keys = await store.endKeys(tx, id, 0);
    await store.markDeleted(tx, id);
    note({ principal: `principal:${row.name}`, keys, entries });
  });
}

async function issueKey({ digest_key }: PrincipalParts, tx: GovernedTx, principal_id: string, issued_to: string) {
  const key = newKey();
  await store.insertKey(tx, { principal_id, digest: keyDigest(digest_key, key), prefix: prefixOf(key), issued_to });
  return key;
}

// A pattern that can match nothing is a mistake, and one that is found only when the pipeline fails.
function refuseIdle(patterns: readonly string[]): void {
  const idle = patterns.filter((pattern) => !namesSomeKind(pattern));
  if (idle.length > 0)
    throw new Problem('invalid', {
      detail: `No kind of asset is called like that: ${idle.join(', ')}.`,
      hint: 'Write the kind as in references: agents/*, tools/search, knowledge-bases/*.',
      errors: idle.map((pattern) => ({ pointer: '/allowed_assets', message: `${pattern} matches nothing` })),
    });
}

async function load(db: Reader, id: string): Promise<{ row: store.PrincipalRow; team: TeamSubject }> {
  const row = await store.principalById(db, id);
  if (row === undefined) throw new Problem('not_found');
  return { row, team: { kind: 'team', id: row.team_id, name: row.team } };
}

async function readBack(db: Reader, id: string): Promise<ServicePrincipal> {
  return principalRecord((await load(db, id)).row);
}
