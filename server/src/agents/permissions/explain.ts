// Explains a decision and the changes that would reverse it. Admins of the asset may ask about other people too.
import type { Explanation } from '@gantry/contract/people/permissions.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { parsePrincipal, printGrantee, printPrincipal } from '@gantry/contract/refs.ts';
import type { Action } from '@gantry/contract/roles.ts';
import { entriesAbout } from '../../governance/access/acl.ts';
import { authorize } from '../../governance/access/authorize.ts';
import { noRequest, type Caller, type SignedInCaller } from '../../governance/access/caller.ts';
import { covers, effectiveRole, principalOf } from '../../governance/access/decide.ts';
import { whatWouldChange, type Change } from '../../governance/access/what-would-change.ts';
import type { Database } from '../../ground/database/database.ts';
import type { DeployParts } from '../deploy/parts.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import type { AssetRecord } from '../../assets/registry/find.ts';
import { loadIdentity } from '../../people/service-principals/load-caller.ts';
import { principalNames } from '../../assets/registry/principals/principal-names.ts';
import { decideOn, question } from './check.ts';
import { findGrantee } from './find-principal.ts';
import { findResource, type Resource } from './find-resource.ts';
import { permissionRecords } from './records.ts';

export async function explain(
  { db, targets }: Pick<DeployParts, 'db' | 'targets'>,
  caller: Caller,
  asked: Resource & { principal?: string | undefined; action: Action },
): Promise<Explanation> {
  const user = signedIn(caller);
  const found = await findResource(db, asked, user);
  if (found === undefined) throw new Problem('not_found');
  authorize(user, 'asset.read', found);
  const about = await findAbout(db, user, found, asked.principal);
  // The team's entries count too: the missing part may be a role in the team.
  const principals = [about.id, found.team.id, ...about.memberships.map(({ team_id }) => team_id), ...about.groups];
  const read = await entriesAbout(db, found.id, principals);
  const asset: AssetRecord = { ...found, entries: read, entries_of: about.id };
  const asking = await question({ db, targets }, asset, asked.action);
  const decision = await decideOn(db, about, asset, asking);
  const entries = read.filter((entry) => covers(entry, about));
  const nameOf = await principalNames(db, entries);
  const would_change =
    decision.teams?.map((team) => [`svc team add ${team} ${principalOf(about)}`]) ??
    whatWouldChange({ ...asking, caller: about, action: asked.action }).map((together) =>
      together.map((change) => describeChange(change, asset, about, nameOf)),
    );
  return {
    asset: asset.ref,
    principal: principalOf(about),
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

/** The caller, or another user or service principal. A question about others needs `admin` on the asset. */
async function findAbout(
  db: Database,
  user: SignedInCaller,
  asset: AssetRecord,
  principal: string | undefined,
): Promise<SignedInCaller> {
  const ref = parsePrincipal(principal ?? principalOf(user));
  if (ref?.kind !== 'user' && ref?.kind !== 'principal')
    throw new Problem('invalid', {
      detail: 'Name a user or a service principal: user:<e-mail> or principal:<name>.',
    });
  if (printPrincipal(ref) === principalOf(user)) return user;
  authorize(user, 'permission.change', asset);
  const id = await findGrantee(db, ref.kind, ref.name);
  const about = id && (await loadIdentity(db, id, noRequest()));
  if (about === undefined || about === '')
    throw new Problem('invalid', { detail: `There is no active ${printPrincipal(ref)}.` });
  return about;
}

function describeChange(
  change: Change,
  { ref, team }: AssetRecord,
  about: SignedInCaller,
  nameOf: (id: string | null) => string | null,
): string {
  const who = principalOf(about);
  switch (change.kind) {
    case 'team_role':
      if (about.kind === 'principal') return `svc principal update ${about.name} --role ${change.role ?? 'viewer'}`;
      return change.role === null
        ? `svc team remove ${team.name} ${who}`
        : `svc team add ${team.name} ${who} --role ${change.role}`;
    case 'reach':
      return `svc principal update ${about.name} --allowed-assets ${change.patterns.join(',')}`;
    case 'grant':
      return `svc acl grant --asset ${ref} --principal ${who} --actions ${change.actions.join(',')}`;
    case 'revoke': {
      const { principal_type, principal_id } = change.entry;
      const grantee = printGrantee({ principal_type, principal_id: nameOf(principal_id) });
      return `svc acl revoke --asset ${ref} --principal ${grantee} --actions ${change.actions.join(',')}`;
    }
    case 'approval':
      return change.given ? `an approval: svc submit --asset ${ref}` : 'revocation of the approval';
  }
}
