import { expect, test } from 'vitest';
import { roles, type Action, type Operation, type Role } from '@gantry/contract/roles.ts';
import { defaultEntriesFor } from './acl.ts';
import type { UserCaller } from './caller.ts';
import { decide } from './decide.ts';
import type { DeploySubject, Entry } from './subject.ts';
import { apply, whatWouldChange } from './what-would-change.ts';

const operations = {
  read: 'asset.read',
  use: 'asset.invoke',
  write: 'asset.write',
  publish: 'asset.publish',
  deploy: 'agent.deploy',
  admin: 'permission.change',
} as const satisfies Record<Action, Operation>;

function caller(id: string, role: Role, ml: Role | undefined): UserCaller {
  return {
    kind: 'user',
    id,
    email: `${id}@example.com`,
    name: id,
    role,
    memberships: ml === undefined ? [] : [{ team_id: 'ml-id', team: 'ml', role: ml }],
    primary_team: null,
    active_team: null,
    session_id: '',
    must_change_password: false,
    origin: { request_id: null, ip: null, receipts: [] },
  };
}

function subject(visibility: 'org' | 'team' | 'private', approved: boolean, more: Entry[]): DeploySubject {
  return {
    kind: 'asset',
    id: 'agent-id',
    ref: 'agents/greeter',
    team: { id: 'ml-id', name: 'ml' },
    owner_id: 'owner',
    published: false,
    entries: [...defaultEntriesFor('owner', 'ml-id', visibility), ...more],
    gate: {
      approval_id: approved ? 'approval-1' : undefined,
      version_requires_approval: false,
      admins_require_approval: false,
    },
  };
}

/** Every situation that roles, entries, visibility and approval can make. */
function* situations() {
  const own: Entry = { principal_type: 'user', principal_id: 'xeno', actions: ['write', 'deploy', 'admin'] };
  for (const id of ['owner', 'xeno'])
    for (const platform of roles)
      for (const ml of [undefined, ...roles])
        for (const visibility of ['org', 'team', 'private'] as const)
          for (const approved of [true, false])
            for (const more of [[], [own]])
              for (const [action, operation] of Object.entries(operations) as [Action, Operation][])
                yield {
                  caller: caller(id, platform, ml),
                  operation,
                  action,
                  subject: subject(visibility, approved, more),
                };
}

test('each answer turns the decision around, and no part of it does', () => {
  let answers = 0;
  for (const asked of situations()) {
    const { allowed } = decide(asked.caller, asked.operation, asked.subject);
    for (const together of whatWouldChange(asked)) {
      answers++;
      const after = together.reduce(apply, asked);
      expect(decide(after.caller, after.operation, after.subject).allowed).toBe(!allowed);
      for (const left_out of together) {
        const without = together.filter((change) => change !== left_out).reduce(apply, asked);
        expect(decide(without.caller, without.operation, without.subject).allowed).toBe(allowed);
      }
    }
  }
  expect(answers).toBeGreaterThan(1000);
});

test('whoever is refused is told at least one way in', () => {
  const refused = [...situations()].filter((asked) => !decide(asked.caller, asked.operation, asked.subject).allowed);
  expect(refused.length).toBeGreaterThan(500);
  expect(refused.filter((asked) => whatWouldChange(asked).length === 0)).toEqual([]);
});
