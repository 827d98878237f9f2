import { useQuery } from '@tanstack/react-query';
import { actFor, useActiveTeam } from '../parts/active-team.ts';
import { ask, queries } from '../server.ts';

/** The team that one acts for; `svc context set` in a terminal. */
export function TeamSwitch({ isOpen }: { isOpen: boolean }) {
  const me = useQuery(ask('auth.me', {}));
  const team = useActiveTeam();
  const change = (next: string) => {
    actFor(next === '' ? undefined : next);
    void queries.invalidateQueries();
  };
  return (
    <select
      aria-label="Team"
      value={team ?? ''}
      onChange={(event) => change(event.target.value)}
      className={`field mb-2 shrink-0 border-line ${isOpen ? '' : 'max-wide:hidden'}`}
    >
      <option value="">{me.data?.primary_team === null ? 'no team' : `team ${me.data?.primary_team ?? ''}`}</option>
      {me.data?.teams
        .filter(({ name }) => name !== me.data?.primary_team)
        .map(({ name }) => (
          <option key={name} value={name}>
            team {name}
          </option>
        ))}
    </select>
  );
}
