// A run that another process takes over.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { orchestrationRunOf } from '../../testing/stored/stored-orchestrations.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { servingAgents } from '../deploy/serving/serving.ts';
import { findReach } from '../deploy/targets/index.ts';
import { readNow } from '../../testing/access/read-now.ts';
import { traceContext } from '../../ground/trace-context.ts';
import { callMember } from './members/call-member.ts';
import { memberRunId } from './members/member-id.ts';
import { orchestrationKind } from './orchestrate.ts';
import type { OrchestrationRun } from './runs/orchestration-run.ts';
import type { OrchestrationParts } from './parts.ts';

let app: TestApp;
let max: TestUser;

beforeAll(async () => {
  app = await testApp({ config: { roles: ['api'] } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  await storeAgent(app, max.email, { name: 'busy' });
  const ref = 'agents/busy';
  const agents: Record<string, string>[] = [
    { name: 'ann', ref, fallback: 'bob' },
    { name: 'bob', ref },
  ];
  const config = { name: 'flow', version: '1.0.0', team: 'ml', strategy: 'parallel', agents };
  const body = { name: 'flow', team: 'ml', visibility: 'team' as const, config };
  await max.client.call('registry.create', { params: { kind: 'orchestration' }, body });
});
afterAll(async () => await app?.stop());

/** The paths of the calls that the run makes, when the call of ann had failed like this before. */
async function callsAfter(code: string): Promise<string[]> {
  const id = await orchestrationRunOf(app, 'flow', max.email);
  await app.db.run(sql`
    insert into run_step (run_id, n, name, has_undo, state, problem)
    values (${id}, 1, 'ann', false, 'failed', ${JSON.stringify({ code, title: 't', status: 502, detail: 'No.' })}::jsonb)`);
  const version = await app.db.one<{ id: string }>(sql`
    select v.id from version v join asset a on a.id = v.asset_id where a.name = 'flow'`);
  const called: string[] = [];
  const run = {
    id,
    input: { version_id: version?.id, input: 'hi', deadline_at: null },
    signal: new AbortController().signal,
    step: async (path: string) => (called.push(path), await Promise.resolve({ text: path, output: path })),
  } as unknown as OrchestrationRun; // only these members are read
  const ingress = { db: app.db, stopping: new AbortController().signal };
  const parts = { ingress } as unknown as OrchestrationParts; // and these
  await orchestrationKind(parts).work(run);
  return called.toSorted();
}

test('a member that has failed is not called again, because its fallback was called for it', async () => {
  expect(await callsAfter('agent_unavailable')).toEqual(['ann:fallback:bob', 'bob']);
});

test('a member whose call ended with its process is called again', async () => {
  expect(await callsAfter('internal')).toEqual(['ann', 'bob']);
});

test('a member whose call did not begin is called again, and one whose call may have begun is not', async () => {
  const ids = await app.db.one<{ user: string; flow: string; busy: string }>(sql`
    select u.id as user, f.id as flow, b.id as busy from app_user u, asset f, asset b
    where u.email = ${max.email} and f.name = 'flow' and b.name = 'busy'`);
  if (ids === undefined) throw new Error('nothing is stored');
  const agents = servingAgents({
    db: app.db,
    ingress_key: Buffer.alloc(32),
    readAsOf: readNow(app.db),
    findReach: findReach(),
  });
  const parts = {
    ingress: { db: app.db, agents, stopping: new AbortController().signal },
    readers: { of: () => undefined },
    recordRefusal: async () => {},
  } as unknown as OrchestrationParts; // only these members are read
  const after = async (run_status: string) => {
    const step = {
      id: randomUUID(),
      input: { orchestration_id: ids.flow, name: 'flow', origin: {}, trace: traceContext(new Headers()) },
      actor: { user_id: ids.user, name: max.email },
      signal: new AbortController().signal,
    } as unknown as OrchestrationRun; // and these
    const body = Buffer.from(JSON.stringify({ code: 'agent_unavailable', detail: 'No.', run_status }));
    await app.db.run(sql`
      insert into invocation (id, agent_id, revision_id, caller_id, state, status, content_type, body)
      values (${memberRunId(step.id, 'ann', 1)}, ${ids.busy}, ${randomUUID()}, ${ids.user}, 'ended', 503, 'application/json', ${body})`);
    const member = { name: 'ann', ref: 'agents/busy' };
    const config = { name: 'flow' } as unknown as Parameters<typeof callMember>[2]['config']; // only its budget is read
    return await callMember(
      parts,
      step,
      {
        config,
        asset_ids: new Map([['agents/busy', ids.busy]]),
        self: { id: ids.flow, ref: 'orchestrations/flow' },
        outer: [],
        prefix: '',
        input: 'hi',
        is_callers: true,
        budgets: [],
        targets: [],
        whole: { calls: 0, failures: new Map() },
      },
      {
        path: 'ann',
        member,
        input: 'hi',
        is_callers: false,
      },
    ).catch((error: unknown) => error);
  };
  // The second attempt is decided, and the agent is not deployed here.
  expect(await after('not_begun')).toMatchObject({ code: 'not_deployed' });
  expect(await after('interrupted')).toMatchObject({ code: 'member_failed' });
  expect(await after('unknown')).toMatchObject({ code: 'member_failed' });
});

test('a run that ends with a failure asks for the cancel of its open calls, and a stop of the service asks for none', async () => {
  const pending = async (stopping: AbortController) => {
    const [root, call] = [randomUUID(), randomUUID()];
    await app.db.run(sql`
      insert into invocation (id, agent_id, revision_id, caller_id, state, via, root_run_id)
      select ${call}, id, ${randomUUID()}, ${randomUUID()}, 'running', id, ${root} from asset where name = 'busy'`);
    const ingress = { db: app.db, stopping: stopping.signal };
    const run = {
      id: root,
      input: { version_id: randomUUID(), deadline_at: null },
      signal: new AbortController().signal,
    };
    const kind = orchestrationKind({ ingress } as unknown as OrchestrationParts);
    await expect(kind.work(run as unknown as OrchestrationRun)).rejects.toThrow();
    return await app.db.one(sql`select cancel_pending from invocation where id = ${call}`);
  };
  expect(await pending(new AbortController())).toEqual({ cancel_pending: true });
  const stopping = new AbortController();
  stopping.abort();
  expect(await pending(stopping)).toEqual({ cancel_pending: false });
});
