import { describe, expect, test } from 'vitest';
import { operations, type Action, type Operation } from '@gantry/contract/roles.ts';
import { systemCaller, type AnonymousCaller } from './caller.ts';
import { decide } from './decide.ts';
import { agent, approved, open, user } from '../../testing/access/deciding.ts';
import type { Entry } from './subject.ts';

const actors = {
  admin: user('root', 'admin'),
  'team admin': user('lead', 'viewer', 'admin'),
  'deployer of the team': user('dora', 'viewer', 'deployer'),
  'platform deployer outside': user('paul', 'deployer'),
  'contributor of the team': user('carl', 'viewer', 'contributor'),
  owner: user('owner', 'viewer', 'contributor'),
  'owner who deploys': user('owner', 'viewer', 'deployer'),
  'viewer of the team': user('vera', 'viewer', 'viewer'),
  'viewer outside': user('xeno', 'viewer'),
} as const;
type Actor = keyof typeof actors;

const ask = (actor: Actor, operation: Operation, subject = agent()) => {
  const decision = decide(actors[actor], operation, subject);
  return decision.allowed ? (decision.bypass ?? 'yes') : decision.code;
};

// By hand, from the spec's role table and default ACL. `acl` and `approval` are requirements that an admin skipped.
const expected: Record<
  Actor,
  Record<
    | 'asset.read'
    | 'asset.invoke'
    | 'asset.write'
    | 'asset.publish'
    | 'asset.delete'
    | 'approval.decide'
    | 'agent.deploy',
    string
  >
> = {
  admin: {
    'asset.read': 'yes',
    'asset.invoke': 'acl',
    'asset.write': 'acl',
    'asset.publish': 'acl',
    'asset.delete': 'acl',
    'approval.decide': 'yes',
    'agent.deploy': 'approval',
  },
  'team admin': {
    'asset.read': 'yes',
    'asset.invoke': 'yes',
    'asset.write': 'acl',
    'asset.publish': 'acl',
    'asset.delete': 'acl',
    'approval.decide': 'yes',
    'agent.deploy': 'approval',
  },
  'deployer of the team': {
    'asset.read': 'yes',
    'asset.invoke': 'yes',
    'asset.write': 'forbidden',
    'asset.publish': 'forbidden',
    'asset.delete': 'forbidden',
    'approval.decide': 'forbidden',
    'agent.deploy': 'approval_required',
  },
  'platform deployer outside': {
    'asset.read': 'yes',
    'asset.invoke': 'forbidden',
    'asset.write': 'forbidden',
    'asset.publish': 'forbidden',
    'asset.delete': 'forbidden',
    'approval.decide': 'forbidden',
    'agent.deploy': 'forbidden',
  },
  'contributor of the team': {
    'asset.read': 'yes',
    'asset.invoke': 'yes',
    'asset.write': 'forbidden',
    'asset.publish': 'forbidden',
    'asset.delete': 'forbidden',
    'approval.decide': 'forbidden',
    'agent.deploy': 'forbidden',
  },
  owner: {
    'asset.read': 'yes',
    'asset.invoke': 'yes',
    'asset.write': 'yes',
    'asset.publish': 'yes',
    'asset.delete': 'yes',
    'approval.decide': 'forbidden',
    'agent.deploy': 'forbidden',
  },
  'owner who deploys': {
    'asset.read': 'yes',
    'asset.invoke': 'yes',
    'asset.write': 'yes',
    'asset.publish': 'yes',
    'asset.delete': 'yes',
    'approval.decide': 'forbidden',
    'agent.deploy': 'approval_required',
  },
  'viewer of the team': {
    'asset.read': 'yes',
    'asset.invoke': 'yes',
    'asset.write': 'forbidden',
    'asset.publish': 'forbidden',
    'asset.delete': 'forbidden',
    'approval.decide': 'forbidden',
    'agent.deploy': 'forbidden',
  },
  'viewer outside': {
    'asset.read': 'yes',
    'asset.invoke': 'forbidden',
    'asset.write': 'forbidden',
    'asset.publish': 'forbidden',
    'asset.delete': 'forbidden',
    'approval.decide': 'forbidden',
    'agent.deploy': 'forbidden',
  },
};

describe.each(Object.keys(expected) as Actor[])('%s', (actor) => {
  test.each(Object.entries(expected[actor]))('%s → %s', (operation, answer) => {
    expect(ask(actor, operation as Operation)).toBe(answer);
  });
});

test('an approval allows exactly the deploy of its digest to deployers of the team, and to no lower role', () => {
  const subject = agent(approved);
  expect(ask('deployer of the team', 'agent.deploy', subject)).toBe('yes');
  expect(ask('owner who deploys', 'agent.deploy', subject)).toBe('yes');
  expect(ask('platform deployer outside', 'agent.deploy', subject)).toBe('forbidden');
  expect(ask('contributor of the team', 'agent.deploy', subject)).toBe('forbidden');
  expect(ask('owner', 'agent.deploy', subject)).toBe('forbidden');
});

test('a deploy entry lets an outside deployer, but no viewer, deploy the approved version', () => {
  const entries: Entry[] = ['paul', 'xeno'].map((id) => ({
    principal_type: 'user',
    principal_id: id,
    actions: ['deploy'] satisfies Action[],
  }));
  expect(ask('platform deployer outside', 'agent.deploy', agent(approved, 'org', entries))).toBe('yes');
  expect(ask('platform deployer outside', 'agent.deploy', agent(open, 'org', entries))).toBe('approval_required');
  expect(ask('viewer outside', 'agent.deploy', agent(approved, 'org', entries))).toBe('forbidden');
});

test('admins need an approval if the organisation or the version requires it', () => {
  for (const gate of [
    { ...open, admins_require_approval: true },
    { ...open, version_requires_approval: true },
  ]) {
    expect(ask('admin', 'agent.deploy', agent(gate))).toBe('approval_required');
    expect(ask('team admin', 'agent.deploy', agent(gate))).toBe('approval_required');
    expect(ask('admin', 'agent.deploy', agent({ ...gate, approval_id: 'approval-1' }))).toBe('yes');
  }
});

test('a caller who may not read an asset gets not_found for every operation on it', () => {
  const onAssets = (Object.keys(operations) as Operation[]).filter((operation) => operations[operation].on === 'asset');
  for (const operation of onAssets) {
    expect(ask('viewer outside', operation, agent(approved, 'team'))).toBe('not_found');
    expect(ask('viewer of the team', operation, agent(approved, 'private'))).toBe('not_found');
  }
  expect(ask('viewer outside', 'approval.decide', agent(approved, 'team'))).toBe('not_found');
});

test('only the service itself does system operations, and it does nothing else', () => {
  for (const operation of Object.keys(operations) as Operation[]) {
    if (operations[operation].on === 'system') expect(ask('admin', operation)).toBe('forbidden');
  }
  expect(decide(systemCaller('system.seed'), 'system.seed', { kind: 'org' })).toMatchObject({ allowed: true });
  expect(decide(systemCaller('system.seed'), 'system.reset_admin', { kind: 'org' })).toMatchObject({ allowed: false });
  expect(decide(systemCaller('system.seed'), 'agent.deploy', agent(approved))).toMatchObject({ allowed: false });
});

test('the anonymous caller may only do operations for anyone', () => {
  const anonymous: AnonymousCaller = { kind: 'anonymous', origin: { request_id: null, ip: null, receipts: [] } };
  for (const [operation, rule] of Object.entries(operations)) {
    const decision = decide(anonymous, operation as Operation, agent(approved));
    expect(decision.allowed ? 'yes' : decision.code).toBe(rule.on === 'anyone' ? 'yes' : 'unauthenticated');
  }
});
