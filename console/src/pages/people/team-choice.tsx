import { useQuery } from '@tanstack/react-query';
import { Choice } from '../../parts/form/form.tsx';
import { ask } from '../../server.ts';

/** One of the teams that its reader sees. */
export function TeamChoice({
  label = 'Team',
  name = 'team',
  chosen,
}: {
  label?: string;
  name?: string;
  chosen?: string | undefined;
}) {
  const names = useTeamNames();
  return <Choice key={names.length} name={name} label={label} options={names} defaultValue={chosen ?? names[0]} />;
}

export function useTeamNames(): string[] {
  const teams = useQuery(ask('teams.list', { query: { limit: 200 } }));
  return teams.data?.items.map(({ name }) => name) ?? [];
}
