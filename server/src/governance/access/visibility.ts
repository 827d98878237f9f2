// An asset's visibility summarizes the entries of its team and of the organisation. The entries decide; the word is only shown.
import { defaultEntries, type Action, type Visibility } from '@gantry/contract/roles.ts';
import { isAbout, type EntryPrincipal } from './acl.ts';
import type { Entry } from './subject.ts';

/** The spec's "Default ACL on creation", narrowed by the visibility. */
export function defaultEntriesFor(owner_id: string, team_id: string, visibility: Visibility): Entry[] {
  const owner: Entry = { principal_type: 'user', principal_id: owner_id, actions: [...defaultEntries.owner] };
  return [owner, ...defaultsOfOthers(team_id, visibility).filter(({ actions }) => actions.length > 0)];
}

/** The visibility that follows from the entries. */
export function shownVisibility(entries: readonly Entry[], team_id: string): Visibility {
  const reads = entries.filter(({ actions }) => actions.includes('read'));
  if (reads.some(({ principal_type }) => principal_type === 'org')) return 'org';
  return reads.some(({ principal_id }) => principal_id === team_id) ? 'team' : 'private';
}

export interface EntryChange {
  principal: EntryPrincipal;
  before: Action[];
  /** Without an action the entry is deleted. */
  after: Action[];
}

/**
 * The entries of the team and of the organisation become the ones of this visibility. An entry that the visibility keeps also keeps its
 * further actions. All other entries are unchanged.
 */
export function visibilityChanges(entries: readonly Entry[], team_id: string, visibility: Visibility): EntryChange[] {
  return defaultsOfOthers(team_id, visibility).flatMap(({ actions, ...principal }) => {
    const before = entries.find((entry) => isAbout(entry, principal))?.actions ?? [];
    const after = actions.length === 0 ? [] : [...new Set([...before, ...actions])];
    return after.length === before.length ? [] : [{ principal, before, after }];
  });
}

function defaultsOfOthers(team_id: string, visibility: Visibility): Entry[] {
  const team = visibility === 'private' ? [] : [...defaultEntries.team];
  const org = visibility === 'org' ? [...defaultEntries.org] : [];
  return [
    { principal_type: 'team', principal_id: team_id, actions: team },
    { principal_type: 'org', principal_id: null, actions: org },
  ];
}
