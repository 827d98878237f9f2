import { actFor, useActiveTeam } from '../parts/browser/active-team.ts';
import { MenuItem, MenuLine } from '../parts/action/menu.tsx';
import { useMe } from '../me.ts';
import { queries } from '../server.ts';

/** The team whose new things one makes; `svc context set` in a terminal. Lists have a filter of their own. */
export function TeamItems() {
  const me = useMe();
  const active = useActiveTeam() ?? me?.primary_team ?? undefined;
  const change = (next: string) => {
    actFor(next === me?.primary_team ? undefined : next);
    void queries.invalidateQueries();
  };
  if (me === undefined || me.teams.length < 2) return null;
  return (
    <>
      <MenuLine />
      <p className="px-3 py-1 text-meta text-quiet">New things are for</p>
      {me.teams.map(({ name }) => (
        <MenuItem key={name} onPress={() => change(name)}>
          {name === active ? `✓ team ${name}` : `team ${name}`}
        </MenuItem>
      ))}
      <MenuLine />
    </>
  );
}
