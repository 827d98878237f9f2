import { isAtLeast } from '@gantry/contract/roles.ts';
import { useMe } from '../../me.ts';
import { useTeamNames } from '../people/team-choice.tsx';

/** The teams in which the reader may make an agent. */
export function useWritableTeams(): string[] {
  const me = useMe();
  const all = useTeamNames();
  if (me === undefined) return [];
  if (isAtLeast(me.role, 'admin')) return all;
  return me.teams
    .filter(({ role }) => isAtLeast(role, 'contributor') || isAtLeast(me.role, 'contributor'))
    .map(({ name }) => name);
}
