// The model that a name leads to. Promises: `models/<name>` is that entry of the catalogue and nothing else; a team's own models come first; a
// model of another team is called by its name in the catalogue alone, because that team chooses its aliases and its name at the provider.
import { globMatches } from '@gantry/project/model-globs.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { parseRef } from '@gantry/contract/refs.ts';
import type { ModelRow } from '../model.ts';

/** Null: a key of the organisation, which has no models of its own. */
type TeamId = string | null;

/** The name in `models/<name>`. Undefined for any other text. */
export function entryNamed(text: string): string | undefined {
  const ref = text.startsWith('models/') ? parseRef(text) : undefined;
  return ref?.name;
}

/** All names under which a team can call a model. */
export function namesOf({ name, team_id, config }: ModelRow, caller_team: TeamId): string[] {
  const exact = [name, `models/${name}`];
  return team_id === caller_team ? [...exact, ...(config.aliases ?? []), config.model] : exact;
}

/** True for a key with these patterns, whatever name its call has. */
export function isCovered(row: ModelRow, caller_team: TeamId, globs: readonly string[]): boolean {
  return namesOf(row, caller_team).some((name) => globs.some((glob) => globMatches(glob, name)));
}

/** The models that the name means, among those that a caller may use: none, one, or several. */
export function modelsCalled<Row extends ModelRow>(usable: readonly Row[], name: string, caller_team: TeamId): Row[] {
  const entry = entryNamed(name);
  if (entry !== undefined) return usable.filter((row) => row.name === entry);
  const own = usable.filter(({ team_id }) => team_id === caller_team);
  const served = own.filter(({ config }) => config.model === name);
  const oldest = served.toSorted((one, other) => (one.created_at < other.created_at ? -1 : 1)).slice(0, 1);
  const meanings = [
    own.filter((row) => row.name === name),
    own.filter(({ config }) => config.aliases?.includes(name) === true),
    // A further model of the same vendor's name does not change what the name means.
    oldest,
    usable.filter((row) => row.name === name),
  ];
  return meanings.find((found) => found.length > 0) ?? [];
}

const max_shown = 5;

/** Throws `model_ambiguous` for a name that means several models. */
export function requireOne(name: string, meant: readonly ModelRow[]): void {
  const [first, ...others] = meant;
  if (first === undefined || others.length === 0) return;
  const shown = meant.slice(0, max_shown).map((row) => `models/${row.name} of team:${row.team}`);
  const more = meant.length > max_shown ? ` and ${meant.length - max_shown} more` : '';
  throw new Problem('model_ambiguous', {
    detail: `${JSON.stringify(name.slice(0, 100))} means ${shown.join(', ')}${more}.`,
    hint: `Name one of them, such as models/${first.name}.`,
  });
}
