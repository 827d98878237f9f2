// Why somebody may read the costs or the log, and what would change it. decide() gives the answer, as for a request.
import { Problem } from '@gantry/contract/problems.ts';
import type { ReadingExplanation } from '@gantry/contract/people/reading-grants.ts';
import { parsePrincipal, printPrincipal } from '@gantry/contract/refs.ts';
import type { ReadingRight } from '@gantry/contract/roles.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import { noRequest, type Caller, type SignedInCaller } from '../../../governance/access/caller.ts';
import { decide, principalOf } from '../../../governance/access/decide.ts';
import { describeGrant, grantFor, teamsToRead } from '../../../governance/access/reading.ts';
import { grantById, listGrants, toChange } from '../../../governance/access/reading-grants.ts';
import { theOrg, type TeamSubject } from '../../../governance/access/subject.ts';
import type { Database } from '../../../ground/database/database.ts';
import { adminsOf, platformAdmins } from '../../../people/principals/find.ts';
import { loadTeam } from '../../../people/principals/load-team.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { loadIdentity } from '../../../people/service-principals/load-caller.ts';
import { findGrantee } from '../find-principal.ts';
import { grantRecords } from './records.ts';

interface Asked {
  right: ReadingRight;
  team?: string | undefined;
  principal?: string | undefined;
}

export async function explainReading(db: Database, caller: Caller, asked: Asked): Promise<ReadingExplanation> {
  const user = signedIn(caller);
  authorize(user, 'grant.list', theOrg);
  const team = asked.team === undefined ? undefined : await loadTeam(db, asked.team);
  const administers = decide(user, ...toChange(team?.id ?? null, team?.name)).allowed;
  const isOwnTeam = team === undefined || user.memberships.some(({ team_id }) => team_id === team.id);
  // A hidden team gets the answer of a missing one.
  if (!administers && !isOwnTeam && grantFor(user, asked.right, team.id) === undefined) throw new Problem('not_found');
  const about = await findAbout(db, user, team, asked.principal);
  const team_role = about.memberships.find(({ team_id }) => team_id === team?.id)?.role ?? null;
  const byRole = whyByRole(about, asked.right, team);
  const held = about.reading.filter(
    ({ right, team_id }) => right === asked.right && (team_id === null || team_id === team?.id),
  );
  const rows = await Promise.all(held.map(async ({ id }) => await grantById(db, id)));
  const grants = await grantRecords(
    db,
    rows.filter((row) => row !== undefined),
  );
  const because = byRole ?? (held[0] && describeGrant(held[0], team?.name));
  const where = team === undefined ? '--org' : `--team ${team.name}`;
  const who = principalOf(about);
  return {
    right: asked.right,
    team: team?.name ?? null,
    principal: who,
    allowed: because !== undefined,
    reason:
      because ??
      `Neither a role nor a grant gives ${asked.right} on ${team === undefined ? 'the organisation' : `team:${team.name}`}.`,
    platform_role: about.role,
    team_role,
    grants,
    holders: administers ? await holders(db, asked.right, team) : null,
    would_change:
      because === undefined
        ? [[`svc grant ${asked.right.replace('_', '-')} --to ${who} ${where}`]]
        : [
            [
              ...(about.role === 'admin' ? [`svc user update ${who.replace('user:', '')} --role viewer`] : []),
              ...(team_role === 'admin' && team !== undefined
                ? [`svc team add ${team.name} ${who} --role viewer`]
                : []),
              ...held.map(({ id }) => `svc grant remove ${id}`),
            ],
          ],
  };
}

function whyByRole(about: SignedInCaller, right: ReadingRight, team: TeamSubject | undefined): string | undefined {
  const teams = teamsToRead({ ...about, reading: [] }, right);
  if (teams === 'all') return 'platform role admin';
  return team !== undefined && teams.includes(team.id) ? `role admin in team:${team.name}` : undefined;
}

/** The caller, or another user or service principal. A question about others needs the right to give the grant. */
async function findAbout(
  db: Database,
  user: SignedInCaller,
  team: TeamSubject | undefined,
  principal: string | undefined,
): Promise<SignedInCaller> {
  const ref = parsePrincipal(principal ?? principalOf(user));
  if (ref?.kind !== 'user' && ref?.kind !== 'principal')
    throw new Problem('invalid', { detail: 'Name a user or a service principal: user:<e-mail> or principal:<name>.' });
  if (printPrincipal(ref) === principalOf(user)) return user;
  authorize(user, ...toChange(team?.id ?? null, team?.name));
  const id = await findGrantee(db, ref.kind, ref.name);
  const about = id === undefined ? undefined : await loadIdentity(db, id, noRequest());
  if (about === undefined) throw new Problem('invalid', { detail: `There is no active ${printPrincipal(ref)}.` });
  return about;
}

// More grants of one right on one team than this are a mistake, and the list has them all.
const most = 200;

async function holders(
  db: Database,
  right: ReadingRight,
  team: TeamSubject | undefined,
): Promise<{ principal: string; because: string }[]> {
  const admins = team === undefined ? await platformAdmins(db) : ((await adminsOf(db, [team.id])).get(team.id) ?? []);
  const onOrg = await listGrants(db, { right, of_org: true, limit: most });
  const onTeam = team === undefined ? [] : await listGrants(db, { right, team_id: team.id, limit: most });
  const current = (await grantRecords(db, [...onOrg, ...onTeam])).filter(({ ended }) => !ended);
  return [
    ...admins.map(({ email, role }) => ({
      principal: `user:${email}`,
      because: role === 'admin' ? 'platform role admin' : `role admin in team:${team?.name ?? ''}`,
    })),
    ...current.map((grant) => ({
      principal: grant.principal,
      because: `grant on ${grant.team === null ? 'the organisation' : `team:${grant.team}`}, ${grant.id}`,
    })),
  ];
}
