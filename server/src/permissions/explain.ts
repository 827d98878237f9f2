// Why somebody may or may not do this to that, and what would change it: for themselves, and for whoever may change the entries.
import type { Explanation } from '@gantry/contract/permissions.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { parsePrincipal, printPrincipal } from '@gantry/contract/refs.ts';
import type { Action } from '@gantry/contract/roles.ts';
import { entriesOf } from '../access/acl.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller, UserCaller } from '../access/caller.ts';
import { covers, effectiveRole } from '../access/decide.ts';
import { whatWouldChange, type Change } from '../access/what-would-change.ts';
import type { Database } from '../database/database.ts';
import { findUser } from '../principals/find.ts';
import { loadCaller } from '../principals/load-caller.ts';
import { signedIn } from '../principals/signed-in.ts';
import type { AssetRecord } from '../registry/find.ts';
import { decideOn, question } from './check.ts';
import { findResource, type Resource } from './find-resource.ts';
import { permissionRecords } from './records.ts';

export async function explain(
  db: Database,
  caller: Caller,
  asked: Resource & { principal?: string | undefined; action: Action },
): Promise<Explanation> {
  const user = signedIn(caller);
  const asset = await findResource(db, asked);
  if (asset === undefined) throw new Problem('not_found');
  authorize(user, 'asset.read', asset);
  const about = await findAbout(db, user, asset, asked.principal);
  const asking = await question(db, asset, asked.action);
  const decision = await decideOn(db, about, asset, asking);
  const entries = (await entriesOf(db, asset.id)).filter((entry) => covers(entry, about));
  const would_change =
    decision.teams?.map((team) => [`svc team add ${team} user:${about.email}`]) ??
    whatWouldChange({ ...asking, caller: about, action: asked.action }).map((together) =>
      together.map((change) => say(change, asset, about)),
    );
  return {
    asset: asset.ref,
    principal: printPrincipal({ kind: 'user', name: about.email }),
    action: asked.action,
    allowed: decision.allowed,
    reason: decision.allowed ? decision.because : decision.reason,
    role: effectiveRole(about, asset.team.id),
    team: asset.team.name,
    platform_role: about.role,
    team_role: about.memberships.find(({ team_id }) => team_id === asset.team.id)?.role ?? null,
    entries: await permissionRecords(db, entries, [asset]),
    would_change,
  };
}

/** The caller, or the user they ask about, which takes the right to change the entries. */
async function findAbout(
  db: Database,
  user: UserCaller,
  asset: AssetRecord,
  principal: string | undefined,
): Promise<UserCaller> {
  const ref = parsePrincipal(principal ?? `user:${user.email}`);
  if (ref?.kind !== 'user')
    throw new Problem('invalid', { detail: 'What somebody may do is asked of a user: user:<e-mail>.' });
  if (ref.name === user.email) return user;
  authorize(user, 'permission.change', asset);
  const found = await findUser(db, ref.name);
  const about = found && (await loadCaller(db, found.id, { request_id: null, ip: null, receipts: [] }));
  if (about === undefined) throw new Problem('invalid', { detail: `There is no active user:${ref.name}.` });
  return about;
}

function say(change: Change, { ref, team }: AssetRecord, { email, id, memberships }: UserCaller): string {
  switch (change.kind) {
    case 'team_role':
      return change.role === null
        ? `svc team remove ${team.name} user:${email}`
        : `svc team add ${team.name} user:${email} --role ${change.role}`;
    case 'grant':
      return `svc acl grant --asset ${ref} --principal user:${email} --actions ${change.actions.join(',')}`;
    case 'revoke': {
      const { principal_type, principal_id } = change.entry;
      const named = memberships.find(({ team_id }) => team_id === principal_id)?.team;
      const who = principal_id === id ? `user:${email}` : named === undefined ? principal_type : `team:${named}`;
      return `svc acl revoke --asset ${ref} --principal ${who} --actions ${change.actions.join(',')}`;
    }
    case 'approval':
      return change.given ? `an approval: svc submit --asset ${ref}` : 'the approval is taken back';
  }
}
