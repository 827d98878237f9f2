// Callers and an agent for tests of the decision alone, without a database.
import type { Role } from '@gantry/contract/roles.ts';
import { defaultEntriesFor } from '../../governance/access/visibility.ts';
import type { UserCaller } from '../../governance/access/caller.ts';
import type { DeploySubject, Entry, Gate } from '../../governance/access/subject.ts';

export const open: Gate = {
  target: 'local',
  approval_id: undefined,
  version_requires_approval: false,
  admins_require_approval: false,
  new_team_secrets: [],
  beyond_approval: [],
};
export const approved: Gate = { ...open, approval_id: 'approval-1' };

export function user(id: string, role: Role, ml?: Role): UserCaller {
  const memberships = ml === undefined ? [] : [{ team_id: 'ml-id', team: 'ml', role: ml }];
  return {
    kind: 'user',
    id,
    email: `${id}@example.com`,
    label: `${id}@example.com`,
    name: id,
    role,
    memberships,
    groups: [],
    reading: [],
    primary_team: null,
    active_team: null,
    presence: null,
    must_change_password: false,
    origin: { request_id: null, ip: null, receipts: [] },
  };
}

/** An agent of team ml; its owner is the user `owner`. */
export function agent(
  gate: Gate = open,
  visibility: 'org' | 'team' | 'private' = 'org',
  more: Entry[] = [],
): DeploySubject {
  const entries = [...defaultEntriesFor('owner', 'ml-id', visibility), ...more];
  return {
    kind: 'asset',
    id: 'agent-id',
    ref: 'agents/greeter',
    team: { id: 'ml-id', name: 'ml' },
    owner_id: 'owner',
    published: false,
    entries,
    gate,
  };
}
