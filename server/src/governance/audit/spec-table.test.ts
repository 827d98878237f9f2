// The spec's table "Audit log entry", written by hand with each row and field, compared with the real log. Each row also has a refused
// attempt. The rows about keys are not part of it yet.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditEntry } from '@gantry/contract/audit/audit.ts';
import { deploy } from '../../agents/deploy/deploy.ts';
import { deployKind } from '../../agents/deploy/deploy-kind.ts';
import { runEvents } from '../../ground/runs/events.ts';
import { startWorker } from '../../ground/runs/worker.ts';
import { emailOf } from '../../testing/access/cast.ts';
import { openDeployStage } from '../../testing/agents/deploy-stage.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { list, toEntry } from './store.ts';

let app: TestApp;
let ada: TestUser;
let dora: TestUser;
let max: TestUser;

beforeAll(async () => {
  app = await testApp();
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  dora = await app.user('dora@example.com', { teams: { ml: 'deployer' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
});
afterAll(async () => await app?.stop());

const ip = '127.0.0.1';
const now = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as string;
const newest = async (action: string): Promise<AuditEntry> => {
  const { items } = await app.admin.client.call('audit.list', { query: { action, limit: 1 } });
  if (items[0] === undefined) throw new Error(`there is no entry of ${action}`);
  return items[0];
};
const refusal = async (asking: Promise<unknown>, code: string): Promise<AuditEntry> => {
  await expect(asking).rejects.toMatchObject({ code });
  return await newest('refused');
};

const login = async (email: string, password: string) =>
  await app.anonymous.call('auth.login', { body: { email, password } });

test('Login (success or failure): user, IP, provider, timestamp', async () => {
  await login(ada.email, ada.password);
  const shown = ({ actor, ip: address, detail, occurred_at, outcome }: AuditEntry) => ({
    user: actor.name,
    ip: address,
    provider: detail['provider'],
    timestamp: occurred_at,
    outcome,
  });
  const entry = { user: ada.email, ip, provider: 'local', timestamp: now };
  expect(shown(await newest('login.succeeded'))).toEqual({ ...entry, outcome: 'done' });
  await expect(login(ada.email, 'wrong')).rejects.toMatchObject({ code: 'bad_credentials' });
  expect(shown(await newest('login.failed'))).toEqual({ ...entry, outcome: 'refused' });
  await expect(login('nobody@example.com', 'wrong')).rejects.toMatchObject({ code: 'bad_credentials' });
  expect(shown(await newest('login.failed'))).toEqual({ ...entry, user: 'nobody@example.com', outcome: 'refused' });
});

test('Login that is throttled is recorded once, not for every attempt', async () => {
  const eve = await app.user('eve@example.com');
  for (let n = 0; n < 10; n++)
    await expect(login(eve.email, 'wrong')).rejects.toMatchObject({ code: 'bad_credentials' });
  for (let n = 0; n < 5; n++)
    await expect(login(eve.email, eve.password)).rejects.toMatchObject({ code: 'rate_limited' });
  const { items } = await app.admin.client.call('audit.list', { query: { user: eve.email, action: 'login.failed' } });
  expect(items.filter(({ detail }) => 'blocked_seconds' in detail)).toMatchObject([
    { actor: { name: eve.email }, ip, detail: { provider: 'local', blocked_seconds: expect.any(Number) as number } },
  ]);
  expect(items).toHaveLength(11);
});

test('Token issued: user, scope, expiry; and a refused token', async () => {
  const { expires_at } = await login(ada.email, ada.password);
  const { actor, detail } = await newest('token.issued');
  expect({ user: actor.name, scope: detail['scope'], expiry: detail['expires_at'] }).toEqual({
    user: ada.email,
    scope: 'api',
    expiry: expires_at,
  });
  const bad = await refusal(app.as('a.bad.token').call('teams.list', { query: {} }), 'unauthenticated');
  expect(bad).toMatchObject({
    actor: { kind: 'anonymous' },
    ip,
    detail: { operation: 'team.list', code: 'unauthenticated' },
  });
  const foreign = ada.client.call('teams.list', { query: {} }, { headers: { 'x-service-team': 'foreign' } });
  expect(await refusal(foreign, 'not_in_team')).toMatchObject({ actor: { name: ada.email }, ip });
});

test('Asset permission change: actor, asset, before, after', async () => {
  const { asset_id } = await storeAgent(app, ada.email, { name: 'permitted' });
  const entry = { resource_type: 'agent' as const, resource_id: asset_id, principal_type: 'user' as const };
  const body = { ...entry, principal_id: dora.email, actions: ['use' as const] };
  const shown = async () => {
    const { actor, asset, detail } = await newest('permission.changed');
    const { principal, before, after } = detail;
    return { actor: actor.name, asset, principal, before, after };
  };
  const about = { actor: ada.email, asset: 'agents/permitted', principal: `user:${dora.email}` };
  const { id } = await ada.client.call('permissions.grant', { body });
  expect(await shown()).toEqual({ ...about, before: [], after: ['use'] });
  await ada.client.call('permissions.revoke', { params: { id } });
  expect(await shown()).toEqual({ ...about, before: ['use'], after: [] });
  expect(await refusal(dora.client.call('permissions.grant', { body }), 'forbidden')).toMatchObject({
    actor: { name: dora.email },
    asset: 'agents/permitted',
    outcome: 'refused',
    detail: { operation: 'permission.change', code: 'forbidden' },
  });
});

test('Approval decision: approver, timestamp, asset, version, reason', async () => {
  for (const [decision, name] of [
    ['approve', 'accepted'],
    ['reject', 'declined'],
  ] as const) {
    const { ref } = await storeAgent(app, ada.email, { name, version: '1.2.3' });
    const { id } = await ada.client.call('approvals.submit', { body: { asset: ref } });
    expect(
      await refusal(dora.client.call(`approvals.${decision}`, { params: { id }, body: {} }), 'forbidden'),
    ).toMatchObject({ actor: { name: dora.email }, asset: `agents/${name}`, detail: { operation: 'approval.decide' } });
    await max.client.call(`approvals.${decision}`, { params: { id }, body: { reason: `because of ${name}` } });
    const { actor, occurred_at, asset, detail } = await newest('approval.decided');
    const { approver, version, reason, decision: decided } = detail;
    expect({ actor: actor.name, approver, timestamp: occurred_at, asset, version, reason, decided }).toEqual({
      actor: max.email,
      approver: max.email,
      timestamp: now,
      asset: `agents/${name}`,
      version: '1.2.3',
      reason: `because of ${name}`,
      decided: decision === 'approve' ? 'approved' : 'rejected',
    });
  }
});

test('an approval of one’s own request is refused and recorded', async () => {
  const { ref } = await storeAgent(app, max.email, { name: 'own' });
  const { id } = await max.client.call('approvals.submit', { body: { asset: ref } });
  expect(
    await refusal(max.client.call('approvals.approve', { params: { id }, body: {} }), 'own_request'),
  ).toMatchObject({
    actor: { name: max.email },
    asset: 'agents/own',
    detail: { operation: 'approval.decide', code: 'own_request' },
  });
});

test('Deploy: actor, asset, target, approval_id; with an approval, without one, after a failure, and after a refusal', async () => {
  const stage = await openDeployStage();
  const { db } = stage.database;
  const worker = await startWorker(
    db,
    { deploy: deployKind(stage.parts) },
    { owner: 'test', poll_ms: 50, onError: () => {} },
  );
  const entries = async (asset: string) => (await list(db, { asset }, undefined, 100)).map(toEntry);
  const shown = (of: AuditEntry[], wanted: string) => {
    const entry = of.find(({ event }) => event === wanted);
    const { target, approval_id } = entry?.detail ?? {};
    return { actor: entry?.actor.name, asset: entry?.asset, target, approval_id };
  };
  const run = async (person: 'dora' | 'root', ref: string) => {
    const { id } = await deploy(stage.parts, await stage.cast.caller(person), { ref, force: false });
    for await (const _ of runEvents(db, id, 0, AbortSignal.timeout(20_000)));
  };
  try {
    const first = await stage.push();
    const approval_id = await stage.approve(first.ref);
    await run('dora', first.ref);
    const about = { actor: emailOf('dora'), asset: `agents/${first.name}`, target: 'local', approval_id };
    for (const event of ['deploy.started', 'deploy']) expect(shown(await entries(about.asset), event)).toEqual(about);

    const second = await stage.push();
    await run('root', second.ref);
    const without = { actor: emailOf('root'), asset: `agents/${second.name}`, target: 'local', approval_id: null };
    for (const event of ['deploy.started', 'deploy.bypassed_approval', 'deploy'])
      expect(shown(await entries(without.asset), event)).toEqual(without);

    const third = await stage.push();
    const failing = { ...about, asset: `agents/${third.name}`, approval_id: await stage.approve(third.ref) };
    stage.duringBuild = async () => await Promise.reject(new Error('the build breaks'));
    await run('dora', third.ref);
    expect(shown(await entries(failing.asset), 'deploy.failed')).toEqual(failing);
  } finally {
    await worker.stop();
    await stage.close();
  }
  const { ref } = await storeAgent(app, ada.email, { name: 'undeployed' });
  const unapproved = dora.client.call('deployments.create', { body: { ref } });
  expect(await refusal(unapproved, 'approval_required')).toMatchObject({
    actor: { name: dora.email },
    asset: 'agents/undeployed',
    detail: { operation: 'agent.deploy', code: 'approval_required' },
  });
});
