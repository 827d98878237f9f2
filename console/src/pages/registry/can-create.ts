import { useQuery } from '@tanstack/react-query';
import type { Allowed } from '../../parts/action/action.tsx';
import { useActiveTeam } from '../../parts/browser/active-team.ts';
import { ask } from '../../server.ts';

/** The permission in the team that the caller acts for; a new asset belongs to it. */
export function useCanCreate(): Allowed | undefined {
  const { data: me } = useQuery(ask('auth.me', {}));
  const team = useActiveTeam() ?? me?.active_team ?? me?.primary_team ?? undefined;
  const { data } = useQuery({ ...ask('teams.show', { params: { team: team ?? '' } }), enabled: team !== undefined });
  if (me !== undefined && team === undefined) return { allowed: false, reason: 'You are in no team.' };
  return data?.can['registry.create'];
}
