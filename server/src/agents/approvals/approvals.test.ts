import { randomBytes } from 'node:crypto';
import type { approvalFilters } from '@gantry/contract/agents/approvals.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { cursors } from '../../governance/http/cursor.ts';
import { findAgent, findVersion, type VersionRow } from '../../assets/registry/find.ts';
import { seedCast, type Cast, type Person } from '../../testing/access/cast.ts';
import { startPushes, type Pushes } from '../../testing/pushes/pushes.ts';
import { inSoak } from '../../testing/config.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { traceContext } from '../../ground/trace-context.ts';
import { approvalFor } from './approval-for.ts';
import { approvalsRoutes } from './routes.ts';

let database: TestDatabase;
let cast: Cast;
let pushes: Pushes;
let routes: ReturnType<typeof approvalsRoutes>;
let agents = 0;
const targets = ['local', 'aws', 'gcp', 'remote'];

beforeAll(async () => {
  database = await testDatabase();
  cast = await seedCast(database.db);
  pushes = await startPushes(database.db);
  routes = approvalsRoutes({
    db: database.db,
    cursors: cursors(randomBytes(32)),
    targets: async () => targets,
    planFor: async () => undefined,
  });
});
afterAll(async () => {
  await pushes?.stop();
  await database?.close();
});

const unused = {
  params: undefined,
  query: undefined,
  body: undefined,
  headers: new Headers(),
  signal: AbortSignal.timeout(60_000),
  trace: traceContext(new Headers()),
};

async function submit(
  person: Person,
  asset: string,
  more: { version?: string; target?: string; message?: string } = {},
) {
  return await routes['approvals.submit']({
    ...unused,
    caller: await cast.caller(person),
    body: { asset, message: '', ...more },
  });
}
async function decide(person: Person, verdict: 'approve' | 'reject', id: string, reason = '') {
  return await routes[`approvals.${verdict}`]({
    ...unused,
    caller: await cast.caller(person),
    params: { id },
    body: { reason },
  });
}
async function show(person: Person, id: string) {
  return await routes['approvals.show']({ ...unused, caller: await cast.caller(person), params: { id } });
}
async function list(
  person: Person,
  query: { status?: (typeof approvalFilters)[number]; asset?: string; limit?: number; cursor?: string } = {},
) {
  return await routes['approvals.list']({
    ...unused,
    caller: await cast.caller(person),
    query: { limit: 50, total: false, ...query },
  });
}

/** A new agent of ada, pushed but not submitted. */
async function pushed(
  project: { files?: Record<string, string>; yaml?: string } = {},
): Promise<{ name: string; ref: string; version: VersionRow }> {
  const name = `agent-${++agents}`;
  const run = await pushes.push(await cast.caller('ada'), { name, ...project });
  if (run.state !== 'done') throw new Error(JSON.stringify(run.problem));
  return { name, ref: `agents/${name}`, version: await versionOf(name) };
}

async function versionOf(name: string): Promise<VersionRow> {
  const agent = await findAgent(database.db, name, null);
  const version = agent && (await findVersion(database.db, agent.id, 'latest'));
  if (version === undefined) throw new Error(`${name} has no version`);
  return version;
}

async function decisions(ref: string): Promise<number> {
  const row = await database.db.one<{ count: number }>(
    sql`select count(*) from audit.entry where event = 'approval.decided' and asset = ${ref}`,
  );
  return row?.count ?? 0;
}

test('a contributor submits, a team admin approves, and exactly that digest and target can be deployed', async () => {
  const { ref, version } = await pushed();
  const request = await submit('ada', ref, { message: 'first version' });
  expect(request).toMatchObject({
    status: 'pending',
    asset: ref,
    asset_version: '1.0.0',
    digest: version.digest,
    target: 'local',
    submitted_by: 'ada@example.com',
    decided_by: null,
  });
  expect(request.can_decide).toEqual(['max@example.com', 'root2@example.com', 'root@example.com']);
  const content = { version_id: version.id, digest: version.digest, target: 'local' };
  expect(await approvalFor(database.db, content, null)).toBeUndefined();
  const decided = await decide('max', 'approve', request.id, 'fine');
  expect(decided).toMatchObject({
    status: 'approved',
    closed_reason: null,
    reason: 'fine',
    decided_by: 'max@example.com',
  });
  expect(await approvalFor(database.db, content, null)).toEqual({ id: request.id });
  expect(await approvalFor(database.db, { ...content, target: 'aws' }, null)).toBeUndefined();
  expect(await approvalFor(database.db, { ...content, digest: 'sha256:other' }, null)).toBeUndefined();
  expect((await findVersion(database.db, version.asset_id, '1.0.0'))?.state).toBe('final');
});

test('the audit entry of a decision names approver, version, digest, reason and submitter', async () => {
  const { ref, version } = await pushed();
  const request = await submit('ada', ref);
  await decide('root', 'reject', request.id, 'too broad');
  const entry = await database.db.one<{ body: string }>(
    sql`select body from audit.entry where event = 'approval.decided' and asset = ${ref}`,
  );
  expect(JSON.parse(entry?.body ?? '{}')).toMatchObject({
    actor: { name: 'root@example.com' },
    team: 'ml',
    detail: {
      approver: 'root@example.com',
      decision: 'rejected',
      version: '1.0.0',
      digest: version.digest,
      target: 'local',
      reason: 'too broad',
      submitted_by: 'ada@example.com',
    },
  });
});

test('the submitter gets the reason of a rejection, and a rejected version cannot be deployed', async () => {
  const { ref, version } = await pushed();
  const request = await submit('ada', ref);
  await decide('max', 'reject', request.id, 'no tests');
  expect(await show('ada', request.id)).toMatchObject({
    status: 'rejected',
    closed_reason: 'rejected',
    reason: 'no tests',
  });
  expect(
    await approvalFor(database.db, { version_id: version.id, digest: version.digest, target: 'local' }, null),
  ).toBeUndefined();
  expect((await versionOf(ref.slice(7))).state).toBe('draft');
});

test('content that changed after the submit can be rejected, but not approved', async () => {
  const { name, ref } = await pushed();
  const request = await submit('ada', ref);
  await pushes.push(await cast.caller('ada'), { name, files: { 'note.txt': 'changed' } });
  await expect(decide('max', 'approve', request.id)).rejects.toMatchObject({ code: 'superseded', status: 409 });
  expect(await show('max', request.id)).toMatchObject({ status: 'pending' });
  expect(await decisions(ref)).toBe(0);
  expect(await decide('max', 'reject', request.id)).toMatchObject({ status: 'rejected' });
});

test('a new request supersedes the pending one, which then cannot be decided', async () => {
  const { name, ref } = await pushed();
  const first = await submit('ada', ref);
  await pushes.push(await cast.caller('ada'), { name, files: { 'note.txt': 'changed' } });
  const second = await submit('ada', ref);
  expect(second.id).not.toBe(first.id);
  expect(await show('ada', first.id)).toMatchObject({
    status: 'rejected',
    closed_reason: 'superseded',
    decided_by: null,
  });
  await expect(decide('max', 'approve', first.id)).rejects.toMatchObject({ code: 'superseded' });
  await expect(decide('max', 'reject', first.id)).rejects.toMatchObject({ code: 'superseded' });
  expect(await decide('max', 'approve', second.id)).toMatchObject({ status: 'approved' });
});

test('a repeated submit of the same content returns the pending request', async () => {
  const { ref } = await pushed();
  const first = await submit('ada', ref);
  expect((await submit('ada', `${ref}@1.0.0`)).id).toBe(first.id);
  expect((await submit('ada', ref, { target: 'aws' })).id).not.toBe(first.id);
});

test('of simultaneous requests one stays pending, and the others are superseded or refused', async () => {
  const { name, ref } = await pushed();
  const results = await Promise.allSettled(targets.map(async (target) => await submit('ada', ref, { target })));
  const outcomes = results.map((result) =>
    result.status === 'fulfilled' ? result.value.asset : (result.reason as { code: string }).code,
  );
  expect(outcomes).toContain(ref);
  expect(new Set(outcomes).isSubsetOf(new Set([ref, 'conflict']))).toBe(true);
  expect((await list('ada', { asset: `agents/${name}`, status: 'pending' })).items).toHaveLength(1);
});

test('a submit of approved content is a conflict that names the approval', async () => {
  const { ref } = await pushed();
  const request = await submit('ada', ref);
  await decide('max', 'approve', request.id);
  await expect(submit('ada', ref)).rejects.toMatchObject({ code: 'conflict', fields: { approval_id: request.id } });
});

test('the default target of a request is the one in agent.yaml', async () => {
  const { ref } = await pushed({ yaml: 'deploy:\n  cloud: azure\n' });
  expect(await submit('ada', ref)).toMatchObject({ target: 'azure' });
  expect(await submit('ada', ref, { target: 'local' })).toMatchObject({ target: 'local' });
});

test('a request takes every target of the service, and refuses another one with the nearest name and the list', async () => {
  const { ref } = await pushed();
  for (const target of targets) expect(await submit('ada', ref, { target })).toMatchObject({ target });
  await expect(submit('ada', ref, { target: 'remot' })).rejects.toMatchObject({
    code: 'invalid',
    detail: 'This service has no target `remot`; did you mean `remote`? Its targets: local, aws, gcp, remote.',
    errors: [{ pointer: '/target' }],
  });
  await expect(submit('ada', ref, { target: 'azure' })).rejects.toMatchObject({ code: 'invalid' });
});

test.for<[string, { version?: string }, string]>([
  ['greeter', {}, 'bad_reference'],
  ['agents/../prompts/x', {}, 'bad_reference'],
  ['Agents/agent-1', {}, 'bad_reference'],
  ['agents%2fagent-1', {}, 'bad_reference'],
  ['agents/agent-1 ', {}, 'bad_reference'],
  ['agents/аgent-1', {}, 'bad_reference'],
  ['agents/agent-1@1.0.0', { version: '1.0.1' }, 'bad_reference'],
  ['agents/nowhere', {}, 'not_found'],
  ['agents/agent-1', { version: '9.9.9' }, 'not_found'],
])('a request about %j (%j) is refused as %s', async ([asset, more, code]) => {
  await expect(submit('root', asset, more)).rejects.toMatchObject({ code });
});

test('nobody decides their own request, whatever their role', async () => {
  const { ref } = await pushed();
  const request = await submit('max', ref);
  await expect(decide('max', 'approve', request.id)).rejects.toMatchObject({ code: 'own_request', status: 403 });
  await expect(decide('max', 'reject', request.id)).rejects.toMatchObject({ code: 'own_request' });
  expect(request.can_decide).not.toContain('max@example.com');
  expect(await decide('root', 'approve', request.id)).toMatchObject({ status: 'approved' });
});

test('nobody decides content that they pushed, also if somebody else replaced or submitted it', async () => {
  const { name, ref } = await pushed();
  await pushes.push(await cast.caller('max'), { name, files: { 'max.txt': 'mine' } });
  await pushes.push(await cast.caller('ada'), { name, files: { 'ada.txt': 'mine' } });
  const request = await submit('ada', ref);
  await expect(decide('max', 'approve', request.id)).rejects.toMatchObject({ code: 'own_request' });
  expect(request.can_decide).toEqual(['root2@example.com', 'root@example.com']);
});

test.for<Person>(['ada', 'bob', 'dora', 'vera', 'otto', 'olga', 'nemo'])(
  '%s, who is no admin of the team, cannot decide',
  async (person) => {
    const { ref } = await pushed();
    const { id } = await submit('ada', ref);
    await expect(decide(person, 'approve', id)).rejects.toMatchObject({ code: 'forbidden', status: 403 });
    await expect(decide(person, 'reject', id)).rejects.toMatchObject({ code: 'forbidden', status: 403 });
    expect(await decide('root', 'approve', id)).toMatchObject({ status: 'approved' });
  },
);

test('a caller without write permission cannot submit the agent, and one without read permission gets not_found', async () => {
  const { ref } = await pushed();
  for (const person of ['vera', 'bob', 'otto', 'nemo'] as const)
    await expect(submit(person, ref)).rejects.toMatchObject({ code: 'forbidden' });
  const secret = await pushed({ yaml: 'access:\n  visibility: private\n' });
  const { id } = await submit('ada', secret.ref);
  const unknown = await submit('otto', 'agents/nowhere').catch((error: unknown) => error);
  await expect(submit('otto', secret.ref)).rejects.toMatchObject({
    code: 'not_found',
    detail: (unknown as Error).message,
  });
  const missing = await show('otto', '00000000-0000-4000-8000-000000000000').catch((error: unknown) => error);
  await expect(show('otto', id)).rejects.toMatchObject({ code: 'not_found', detail: (missing as Error).message });
  await expect(decide('olga', 'approve', id)).rejects.toMatchObject({ code: 'not_found' });
  expect((await show('max', id)).id).toBe(id);
});

test('every endpoint refuses anonymous callers', async () => {
  const { ref } = await pushed();
  const { id } = await submit('ada', ref);
  const caller = { kind: 'anonymous', origin: { request_id: null, ip: null, receipts: [] } } as const;
  const anonymous = { ...unused, caller: { ...caller, origin: { ...caller.origin, receipts: [] } } };
  await expect(routes['approvals.list']({ ...anonymous, query: { limit: 1, total: false } })).rejects.toMatchObject({
    code: 'unauthenticated',
  });
  await expect(routes['approvals.submit']({ ...anonymous, body: { asset: ref, message: '' } })).rejects.toMatchObject({
    code: 'unauthenticated',
  });
  await expect(routes['approvals.show']({ ...anonymous, params: { id } })).rejects.toMatchObject({
    code: 'unauthenticated',
  });
  await expect(
    routes['approvals.approve']({ ...anonymous, params: { id }, body: { reason: '' } }),
  ).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(
    routes['approvals.reject']({ ...anonymous, params: { id }, body: { reason: '' } }),
  ).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('lists contain only requests of the caller’s teams, and outsiders read no message and no reason', async () => {
  const { ref } = await pushed();
  const { id } = await submit('ada', ref, { message: 'between us' });
  await decide('max', 'reject', id, 'also between us');
  for (const person of ['ada', 'vera', 'max', 'root'] as const)
    expect((await list(person, { asset: ref })).items).toMatchObject([
      { id, message: 'between us', reason: 'also between us' },
    ]);
  for (const person of ['otto', 'olga', 'nemo'] as const) {
    expect((await list(person)).items).toEqual([]);
    expect((await list(person, { asset: ref })).items).toEqual([]);
    expect(await show(person, id)).toMatchObject({ message: '', reason: null, can_decide: [] });
  }
  await expect(list('ada', { asset: 'nonsense' })).rejects.toMatchObject({ code: 'bad_reference' });
});

test('pages contain every request once, newest first, and a cursor works only for its caller', async () => {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await list('root', { limit: 3, cursor });
    seen.push(...page.items.map((item) => item.submitted_at + item.id));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  const all = (await list('root', { limit: 200 })).items;
  expect(seen).toEqual(all.map((item) => item.submitted_at + item.id));
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toEqual(seen.toSorted().toReversed());
  const { next_cursor } = await list('root', { limit: 1 });
  await expect(list('max', { limit: 1, cursor: next_cursor })).rejects.toMatchObject({ code: 'bad_cursor' });
  await expect(list('root', { limit: 1, status: 'pending', cursor: next_cursor })).rejects.toMatchObject({
    code: 'bad_cursor',
  });
});

test('a repeated decision returns the same answer and is recorded once', async () => {
  const { ref } = await pushed();
  const { id } = await submit('ada', ref);
  const first = await decide('max', 'approve', id, 'fine');
  expect(await decide('max', 'approve', id, 'again')).toEqual(first);
  expect(await decide('root', 'approve', id, 'me too')).toEqual(first);
  expect(await decisions(ref)).toBe(1);
  await expect(decide('root', 'reject', id)).rejects.toMatchObject({ code: 'already_decided', status: 409 });
  expect(await decisions(ref)).toBe(1);
});

const races = inSoak(25, 200);

test(
  'of many races between approve and reject each has exactly one decision, one audit entry and one 409',
  { timeout: 120_000 },
  async () => {
    const { name, ref } = await pushed();
    const outcomes = { approved: 0, rejected: 0 };
    for (let round = 0; round < races; round++) {
      const version = `2.0.${round}`;
      await insertVersion(name, version);
      const { id } = await submit('ada', `${ref}@${version}`);
      const before = await decisions(ref);
      const results = await Promise.allSettled([decide('root', 'approve', id), decide('max', 'reject', id)]);
      const won = results.filter((result) => result.status === 'fulfilled');
      const lost = results.filter((result) => result.status === 'rejected');
      expect(won).toHaveLength(1);
      expect(lost[0]?.reason).toMatchObject({ code: 'already_decided', status: 409 });
      expect(await decisions(ref)).toBe(before + 1);
      const { status } = await show('root', id);
      if (status !== 'pending') outcomes[status]++;
    }
    expect(outcomes.approved + outcomes.rejected).toBe(races);
  },
);

describe('a request', () => {
  const withdraw = async (person: Person, id: string) =>
    await routes['approvals.withdraw']({ ...unused, caller: await cast.caller(person), params: { id } });
  const revoke = async (person: Person, id: string, reason = '') =>
    await routes['approvals.revoke']({
      ...unused,
      caller: await cast.caller(person),
      params: { id },
      body: { reason },
    });
  const entries = async (ref: string, event: string) =>
    await database.db.all(sql`select seq from audit.entry where event = ${event} and asset = ${ref}`);

  test('is withdrawn only by its submitter, recorded once, and can be submitted again', async () => {
    const { ref } = await pushed();
    const { id } = await submit('ada', ref);
    await expect(withdraw('max', id)).rejects.toMatchObject({ code: 'forbidden' });
    for (const _ of [1, 2])
      expect(await withdraw('ada', id)).toMatchObject({
        status: 'rejected',
        closed_reason: 'withdrawn',
        decided_by: null,
      });
    expect(await entries(ref, 'approval.withdrawn')).toHaveLength(1);
    await expect(decide('max', 'approve', id)).rejects.toMatchObject({ code: 'already_decided' });
    expect((await submit('ada', ref)).id).not.toBe(id);
  });

  test('that is decided cannot be withdrawn', async () => {
    const { ref } = await pushed();
    const { id } = await submit('ada', ref);
    await decide('max', 'approve', id);
    await expect(withdraw('ada', id)).rejects.toMatchObject({ code: 'already_decided' });
    expect(await show('ada', id)).toMatchObject({ status: 'approved' });
  });

  test('that is approved can be revoked by an admin: deploys are refused until a new request is approved', async () => {
    const { ref, version } = await pushed();
    const { id, target } = await submit('ada', ref);
    const content = { version_id: version.id, digest: version.digest, target };
    await expect(revoke('max', id)).rejects.toMatchObject({ code: 'conflict' });
    await decide('max', 'approve', id, 'fine');
    expect(await approvalFor(database.db, content, null)).toEqual({ id });
    await expect(revoke('ada', id)).rejects.toMatchObject({ code: 'forbidden' });
    for (const _ of [1, 2])
      expect(await revoke('root', id, 'it was not')).toMatchObject({
        status: 'rejected',
        closed_reason: 'revoked',
        reason: 'it was not',
      });
    expect(await entries(ref, 'approval.revoked')).toHaveLength(1);
    expect(await approvalFor(database.db, content, null)).toBeUndefined();
    const again = await submit('ada', ref);
    await decide('max', 'approve', again.id);
    expect(await approvalFor(database.db, content, null)).toEqual({ id: again.id });
  });
});

// A version without a push: 200 pushes would mostly load the worker.
async function insertVersion(name: string, version: string): Promise<void> {
  const { asset_id, digest } = await versionOf(name);
  await cast.write(
    'version',
    sql`
    insert into version (asset_id, version, digest, state, pushed_by, authors)
    values (${asset_id}, ${version}, ${digest}, 'draft', ${cast.id('ada')}, array[${cast.id('ada')}::uuid]) returning id`,
  );
}
