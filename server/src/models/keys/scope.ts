// The holder of a key or of a budget: the organisation, a team, a member of a team, a service principal or an agent.
import type { KeyScope } from '@gantry/contract/models/keys.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { isId } from '@gantry/contract/wire.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import { grantFor } from '../../governance/access/reading.ts';
import type { TeamSubject } from '../../governance/access/subject.ts';
import type { Reader } from '../../ground/database/database.ts';
import { findUser, installationId, isInTeam } from '../../people/principals/find.ts';
import { loadTeam } from '../../people/principals/load-team.ts';
import { findAsset, findAssetById } from '../../assets/registry/find.ts';
import { findServicePrincipal } from '../../people/service-principals/find.ts';

export interface AskedScope {
  scope: KeyScope;
  /** Name or id; the caller's own when absent. */
  scope_id?: string | undefined;
  /** For a user: the team of the key or the budget. */
  team?: string | undefined;
}

export interface Scope {
  scope: KeyScope;
  scope_id: string;
  name: string;
  /** Null for the organisation. */
  team: TeamSubject | null;
}

/** Decides only whether the caller may read an agent, or the budgets of other members. Throws `not_found`. */
export async function findScope(db: Reader, user: SignedInCaller, asked: AskedScope): Promise<Scope> {
  const { scope, scope_id: named = '', team } = asked;
  if (scope !== 'user' && team !== undefined)
    throw new Problem('malformed', {
      detail: 'Only scope user takes a team; the others have the team of their scope.',
    });
  switch (scope) {
    case 'org':
      return { scope, scope_id: await installationId(db), name: 'org', team: null };
    case 'team': {
      const found = await loadTeam(db, named === '' ? teamOf(user, undefined).name : named);
      return { scope, scope_id: found.id, name: found.name, team: found };
    }
    case 'agent': {
      const isNamedById: boolean = isId(named);
      const agent = isNamedById
        ? await findAssetById(db, named, user)
        : await findAsset(db, 'agent', named.replace(/^agents\//, ''), user);
      if (agent?.asset_kind !== 'agent') throw new Problem('not_found');
      // Who reads the costs of a team reads those of all its agents.
      if (grantFor(user, 'read_costs', agent.team.id) === undefined) authorize(user, 'asset.read', agent);
      return { scope, scope_id: agent.id, name: agent.name, team: { ...agent.team, kind: 'team' } };
    }
    case 'principal': {
      const name = named === '' && user.kind === 'principal' ? user.name : named.replace(/^principal:/, '');
      const found = await findServicePrincipal(db, name);
      if (found === undefined) throw new Problem('not_found');
      const { id, team_id } = found;
      return { scope, scope_id: id, name: found.name, team: { kind: 'team', id: team_id, name: found.team } };
    }
    case 'user': {
      if (user.kind === 'user' && (named === '' || named === user.id || named === user.label))
        return { scope, scope_id: user.id, name: user.label, team: teamOf(user, team) };
      return await findMember(db, user, named, team);
    }
  }
}

/** One of the caller's own teams: their active one when none is named. */
function teamOf(user: SignedInCaller, named: string | undefined): TeamSubject {
  const name = named ?? user.active_team?.name;
  if (name === undefined)
    throw new Problem('forbidden', { detail: 'You are in no team, and a team pays for each key.' });
  const own = user.memberships.find(({ team }) => team === name);
  if (own === undefined) throw new Problem('not_in_team', { detail: `You are not in team:${name}.` });
  return { kind: 'team', id: own.team_id, name: own.team };
}

async function findMember(db: Reader, user: SignedInCaller, named: string, team: string | undefined): Promise<Scope> {
  if (named === '')
    throw new Problem('forbidden', { detail: 'You are a service principal.', hint: 'Use scope principal.' });
  const of_team = team === undefined ? teamOf(user, undefined) : await loadTeam(db, team);
  authorize(user, 'budget.read', of_team);
  const found = await findUser(db, named.replace(/^user:/, ''));
  if (found === undefined || !(await isInTeam(db, of_team.id, found.id)))
    throw new Problem('not_found', { detail: `${named} is not in team:${of_team.name}.` });
  return { scope: 'user', scope_id: found.id, name: found.email, team: of_team };
}
