// Changes that would reverse a decision. Each answer was tried with decide() itself. The smallest changes come first, and no answer contains
// another one.
import { globMatches } from '@gantry/contract/people/asset-globs.ts';
import { roles, type Action, type Operation, type Role } from '@gantry/contract/roles.ts';
import type { SignedInCaller } from './caller.ts';
import { covers, decide } from './decide.ts';
import type { AssetSubject, DeploySubject, Entry } from './subject.ts';

export type Change =
  /** The caller's new role in the asset's team; null removes them from it. */
  | { kind: 'team_role'; role: Role | null }
  /** The new globs of a service principal. */
  | { kind: 'reach'; patterns: string[] }
  /** The caller's own entry gets these actions. */
  | { kind: 'grant'; actions: Action[] }
  /** An entry that covers the caller loses the action. */
  | { kind: 'revoke'; entry: Entry; actions: Action[] }
  /** This content's approval for this target is given or revoked. */
  | { kind: 'approval'; given: boolean };

interface Asked {
  caller: SignedInCaller;
  operation: Operation;
  action: Action;
  subject: AssetSubject | DeploySubject;
}

const max_together = 3;

/** Each of these sets of changes reverses the answer. */
export function whatWouldChange(asked: Asked): Change[][] {
  const wanted = !decide(asked.caller, asked.operation, asked.subject).allowed;
  const candidates = wanted ? opening(asked) : closing(asked);
  const found: Change[][] = [];
  for (let size = 1; size <= max_together; size++)
    for (const set of subsets(candidates, size)) {
      if (found.some((smaller) => smaller.every((change) => set.some((one) => doesAtLeast(one, change))))) continue;
      const { caller, subject } = set.reduce(apply, asked);
      if (decide(caller, asked.operation, subject).allowed === wanted) found.push(set);
    }
  return found;
}

function opening({ caller, action, subject }: Asked): Change[] {
  const role = caller.memberships.find(({ team_id }) => team_id === subject.team.id)?.role;
  // A service principal never changes its team.
  const joinable = caller.kind === 'user' || role !== undefined;
  const higher = joinable ? roles.slice(role === undefined ? 0 : roles.indexOf(role) + 1) : [];
  const grant: Change = { kind: 'grant', actions: action === 'read' ? ['read'] : ['read', action] };
  return [
    ...(caller.kind === 'principal' ? [reach([...caller.allowed_assets, subject.ref])] : []),
    grant,
    ...('gate' in subject ? [{ kind: 'approval', given: true } as const] : []),
    // The lowest sufficient role comes first, so a higher one is no separate answer.
    ...higher.map((each): Change => ({ kind: 'team_role', role: each })),
  ];
}

function closing({ caller, action, subject }: Asked): Change[] {
  const entries = subject.entries.filter((entry) => entry.actions.includes(action) && covers(entry, caller));
  const isMember = caller.kind === 'user' && caller.memberships.some(({ team_id }) => team_id === subject.team.id);
  return [
    ...(caller.kind === 'principal'
      ? [reach(caller.allowed_assets.filter((pattern) => !globMatches(pattern, subject.ref)))]
      : []),
    ...entries.map((entry): Change => ({ kind: 'revoke', entry, actions: [action] })),
    ...('gate' in subject ? [{ kind: 'approval', given: false } as const] : []),
    ...(isMember ? [{ kind: 'team_role', role: null } as const] : []),
  ];
}

function reach(patterns: string[]): Change {
  return { kind: 'reach', patterns };
}

/** The question after the change. */
export function apply({ caller, subject, ...asked }: Asked, change: Change): Asked {
  switch (change.kind) {
    case 'team_role': {
      const { id: team_id, name: team } = subject.team;
      const others = caller.memberships.filter((membership) => membership.team_id !== team_id);
      const memberships = change.role === null ? others : [...others, { team_id, team, role: change.role }];
      return { ...asked, caller: { ...caller, memberships }, subject };
    }
    case 'reach':
      if (caller.kind !== 'principal') throw new Error('only service principals have globs');
      return { ...asked, caller: { ...caller, allowed_assets: change.patterns }, subject };
    case 'grant': {
      const own: Entry = { principal_type: caller.kind, principal_id: caller.id, actions: change.actions };
      return { ...asked, caller, subject: { ...subject, entries: [...subject.entries, own] } };
    }
    case 'revoke': {
      const entries = subject.entries.map((entry) =>
        entry === change.entry
          ? { ...entry, actions: entry.actions.filter((action) => !change.actions.includes(action)) }
          : entry,
      );
      return { ...asked, caller, subject: { ...subject, entries } };
    }
    case 'approval': {
      if (!('gate' in subject)) throw new Error('an approval changes only a deploy');
      const approval_id = change.given ? 'a new approval' : undefined;
      return { ...asked, caller, subject: { ...subject, gate: { ...subject.gate, approval_id } } };
    }
  }
}

/** True if `change` includes `other`. */
function doesAtLeast(change: Change, other: Change): boolean {
  if (change === other) return true;
  if (change.kind !== 'team_role' || other.kind !== 'team_role') return false;
  return change.role !== null && other.role !== null && roles.indexOf(change.role) > roles.indexOf(other.role);
}

function subsets<T>(all: readonly T[], size: number): T[][] {
  if (size === 0) return [[]];
  return all.flatMap((one, at) => subsets(all.slice(at + 1), size - 1).map((rest) => [one, ...rest]));
}
