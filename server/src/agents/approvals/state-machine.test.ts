// Random sequences of all commands on an agent's approvals, by two admins, a deployer and a contributor. Some commands run at the same moment.
// After every step the service and a one-page model have the same answers and the same state.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problem } from '@gantry/contract/problems.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import { sql } from '../../ground/database/sql.ts';
import { fixedTargets } from '../../testing/agents/deploy-stage.ts';
import { decideDeploy } from '../deploy/decide-deploy.ts';
import type { DeployInput } from '../deploy/deploy-run.ts';
import type { Run } from '../../ground/runs/run.ts';
import {
  actors,
  apply,
  initial,
  type Actor,
  type Command,
  type State,
  type Status,
} from '../../testing/access/approval-model.ts';
import { emailOf, seedCast, type Cast } from '../../testing/access/cast.ts';
import { storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { approve } from './approve.ts';
import { expireOverdue } from './expire.ts';
import { reject } from './reject.ts';
import { revoke } from './revoke.ts';
import { submit } from './submit.ts';
import { withdraw } from './withdraw.ts';
import { inSoak } from '../../testing/config.ts';

const lanes = 4;
const sequences = inSoak(3, 60);
const steps = 100; // one in six is two commands at the same moment
const told = new Set<string>();

/** Its own database, because the settings belong to the organisation. */
interface Lane {
  database: TestDatabase;
  cast: Cast;
  callers: Map<Actor, SignedInCaller>;
  agents: number;
}
const open: Lane[] = [];

beforeAll(async () => {
  for (let lane = 0; lane < lanes; lane++) {
    const database = await testDatabase();
    const cast = await seedCast(database.db);
    const callers = new Map<Actor, SignedInCaller>();
    for (const actor of actors) callers.set(actor, await cast.caller(actor));
    await cast.write('org', sql`update org set approval_expires_after_days = 7 returning id`);
    open.push({ database, cast, callers, agents: 0 });
  }
});
afterAll(async () => await Promise.all(open.map(async ({ database }) => await database.close())));

/** A push may restore the last submitted content. */
type Meant = Command & { back?: boolean };

const actor = fc.constantFrom(...actors);
const admin = fc.constantFrom<Actor>('max', 'root');
const request = fc.constantFrom(0, 0, 0, 1, 2);
const command: fc.Arbitrary<Meant> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('push' as const),
      actor: fc.constantFrom<Actor>('ada', 'ada', 'max'),
      back: fc.boolean(),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('submit' as const), actor }) },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constantFrom('approve' as const, 'approve' as const, 'reject' as const),
      actor: admin,
      request,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('approve' as const, 'reject' as const), actor, request }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('withdraw' as const), actor, request }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('revoke' as const), actor: admin, request }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke' as const), actor, request }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('deploy' as const), actor, version: fc.constantFrom(0, 0, 1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('age' as const, 'sweep' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rank' as const), is_admin: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('set' as const), required: fc.constantFrom(1, 2), bound: fc.boolean() }),
  },
);
// Time and roles do not change during another command.
const step = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(command) },
  {
    weight: 1,
    arbitrary: fc.tuple(command, command).filter((pair) => !pair.some((one) => one.do === 'age' || one.do === 'rank')),
  },
);

test(
  'random commands are answered as the model answers them, also two at the same moment',
  { timeout: inSoak(300_000, 3_000_000) },
  async () => {
    await Promise.all(
      open.map(
        async (lane) =>
          await fc.assert(
            fc.asyncProperty(
              fc.array(step, { minLength: steps, maxLength: steps }),
              async (commands) => await play(lane, commands),
            ),
            { numRuns: sequences, endOnFailure: true },
          ),
      ),
    );
    // Each of these happened. The rarest comes about ten times in 1,200 commands.
    const met = [...told];
    expect(met.toSorted().join(' ')).toBe(
      'already_decided approval approval_required approved bypassed conflict done forbidden nothing own_request ' +
        'pending pushed rejected request revoked superseded withdrawn',
    );
  },
);

async function play(lane: Lane, commands: Meant[][]): Promise<void> {
  const agent = await newAgent(lane);
  let state = initial({ required: 1 + (lane.agents % 2), bound: false });
  await set(lane, state);
  await rank(lane, true);
  for (const [n, meant] of commands.entries()) {
    const together = meant.map((one) => settle(state, one));
    const answers = await Promise.all(
      together.map(async (one) => await perform(lane, agent, structuredClone(state), one)),
    );
    const seen = await observe(lane, agent);
    const possible = orders(together).map((order) => predict(state, together, order));
    const match = possible.find((one) => same(one.answers, answers) && same(stateOf(one.state), seen));
    if (match === undefined) {
      const wanted = possible.map((one) => ({ answers: one.answers, ...stateOf(one.state) }));
      expect.fail(
        JSON.stringify({ step: n, together, before: state, got: { answers, ...seen }, wanted }, undefined, 1),
      );
    }
    ({ state } = match);
    for (const answer of answers) told.add(answer.replace(/ \d+$/, ''));
  }
}

function settle({ requests, versions }: State, { back = false, ...command }: Meant): Command {
  const last = requests.at(-1);
  const isBack = back && command.do === 'push' && last !== undefined && last.version === versions.at(-1);
  return isBack ? { ...command, digest: last.digest } : command;
}

const orders = (together: readonly Command[]) =>
  together.length === 1
    ? [[0]]
    : [
        [0, 1],
        [1, 0],
      ];

function predict(before: State, together: readonly Command[], order: readonly number[]) {
  const state = structuredClone(before);
  const answers: string[] = together.map(() => '');
  for (const index of order) {
    const next = together[index];
    if (next !== undefined) answers[index] = apply(state, absolute(before, state, next));
  }
  return { state, answers };
}

/** Commands refer to the requests that existed when both started. The model counts back from the current ones. */
function absolute(before: State, now: State, command: Command): Command {
  if ('request' in command) {
    const grown = before.requests.length > command.request ? now.requests.length - before.requests.length : 1_000_000;
    return { ...command, request: command.request + grown };
  }
  if (command.do !== 'deploy') return command;
  return { ...command, version: command.version + now.versions.length - before.versions.length };
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const stateOf = ({ versions, requests, required, bound }: State): Seen => ({
  required,
  bound,
  versions: versions.map(({ final }) => (final ? 'final' : 'draft')),
  requests: requests.map(({ status, by, version, digest }) => ({
    status,
    by: emailOf(by),
    version: versionOf(versions.indexOf(version)),
    is_current: version.digest === digest,
  })),
});

interface Seen {
  required: number;
  bound: boolean;
  versions: string[];
  requests: { status: Status; by: string; version: string; is_current: boolean }[];
}
interface Played extends StoredAgent {
  ids: string[];
  /** By number in the model. */
  digests: string[];
  /** Pushes of an agent run in sequence. */
  pushing: Promise<unknown>;
}

async function newAgent(lane: Lane): Promise<Played> {
  const agent = await storeAgent(lane.database, emailOf('ada'), { name: `agent-${++lane.agents}`, version: '1.0.0' });
  return { ...agent, ids: [], digests: [agent.digest], pushing: Promise.resolve() };
}

const versionOf = (index: number) => `1.0.${index}`;

async function perform(lane: Lane, agent: Played, state: State, command: Command): Promise<string> {
  const { db } = lane.database;
  const caller = 'actor' in command ? lane.callers.get(command.actor) : undefined;
  const id = 'request' in command ? agent.ids[state.requests.length - 1 - command.request] : undefined;
  if ('request' in command && id === undefined) return 'nothing';
  try {
    switch (command.do) {
      case 'push':
        agent.pushing = agent.pushing.then(async () => await push(lane, agent, command));
        return String(await agent.pushing);
      case 'submit': {
        const made = await submit(
          { db, targets: async () => ['local'], planFor: async () => undefined },
          caller ?? never(),
          {
            asset: `agents/${agent.name}`,
            message: '',
          },
        );
        if (!agent.ids.includes(made.id)) agent.ids.push(made.id);
        return `request ${agent.ids.indexOf(made.id)}`;
      }
      case 'approve':
        return (await approve({ db, planFor: async () => undefined }, caller ?? never(), id ?? never(), '')).status;
      case 'reject':
        return (await reject(db, caller ?? never(), id ?? never(), '')).closed_reason ?? '';
      case 'withdraw':
        return (await withdraw(db, caller ?? never(), id ?? never())).closed_reason ?? '';
      case 'revoke':
        return (await revoke(db, caller ?? never(), id ?? never(), '')).closed_reason ?? '';
      case 'deploy':
        return await mayDeploy(lane, agent, command.actor, state.versions.length - 1 - command.version);
      case 'age':
        await lane.cast.write(
          'approval',
          sql`update approval set submitted_at = submitted_at - interval '8 days' where asset_id = ${agent.asset_id} and status = 'pending' returning id`,
        );
        return 'done';
      case 'sweep':
        await expireOverdue(db);
        return 'done';
      case 'rank':
        await rank(lane, command.is_admin);
        return 'done';
      case 'set':
        await set(lane, command);
        return 'done';
    }
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

// The last step of a push, without its run.
async function push(
  lane: Lane,
  agent: Played,
  { actor: by, digest: known }: Command & { do: 'push' },
): Promise<string> {
  const { db } = lane.database;
  const digest =
    known === undefined ? `sha256:${agent.name}-${agent.digests.length}` : (agent.digests[known] ?? never());
  if (known === undefined) {
    agent.digests.push(digest);
    await db.run(sql`
      insert into content select ${digest}, config, manifest, source, lock, dependencies, base_image, python, pins, created_at
      from content where digest = ${agent.digest}`);
  }
  const id = lane.cast.id(by);
  await lane.cast.write(
    'version',
    sql`
    with latest as (
      select id, state, version, digest from version where asset_id = ${agent.asset_id} order by length(version) desc, version desc limit 1 for update),
    drafted as (
      update version v set digest = ${digest}, authors = v.authors || ${id}::uuid from latest
      where v.id = latest.id and v.state = 'draft' and latest.digest <> ${digest} returning v.id),
    added as (
      insert into version (asset_id, version, digest, state, pushed_by, authors)
      select ${agent.asset_id}, '1.0.' || (split_part(version, '.', 3)::int + 1), ${digest}, 'draft', ${id}, array[${id}::uuid]
      from latest where latest.digest <> ${digest} and not exists (select from drafted) returning id)
    select id from drafted union all select id from added`,
  );
  return 'pushed';
}

/** The decision in step 2 of a deploy. */
async function mayDeploy(lane: Lane, agent: Played, by: Actor, index: number): Promise<string> {
  const { db } = lane.database;
  const version = await db.one<{ id: string; digest: string }>(
    sql`select id, digest from version where asset_id = ${agent.asset_id} and version = ${versionOf(index)}`,
  );
  if (version === undefined) return 'nothing';
  const input: DeployInput = {
    agent_id: agent.asset_id,
    agent: agent.name,
    version_id: version.id,
    version: versionOf(index),
    digest: version.digest,
    target: 'local',
    origin: { request_id: null, ip: null },
  };
  const run = { input, actor: { user_id: lane.cast.id(by), name: emailOf(by) } };
  const parts = { db, targets: fixedTargets({}), recordRefusal: async () => {} };
  const { grant, approval_id } = await decideDeploy(parts, run as Run<DeployInput>); // the decision reads no more of a run
  return approval_id === null
    ? grant.bypass === 'approval'
      ? 'bypassed'
      : 'open'
    : `approval ${agent.ids.indexOf(approval_id)}`;
}

async function set(lane: Lane, { required, bound }: Pick<State, 'required' | 'bound'>): Promise<void> {
  await lane.cast.write(
    'org',
    sql`update org set approvals_required = ${required}, require_approval_for_admins = ${bound} returning id`,
  );
}

async function rank(lane: Lane, is_admin: boolean): Promise<void> {
  const role = is_admin ? 'admin' : 'contributor';
  await lane.cast.write(
    'membership',
    sql`update membership set role = ${role} where user_id = ${lane.cast.id('max')} and role <> ${role} returning id`,
  );
  lane.callers.set('max', await lane.cast.caller('max'));
}

/** An overdue request counts as expired, even before it is closed. */
async function observe(lane: Lane, agent: Played): Promise<Seen> {
  const rows = await lane.database.db.all<{
    required: number;
    bound: boolean;
    state: string;
    requests: ({ id: string } & Seen['requests'][number])[];
  }>(sql`
    select o.approvals_required as required, o.require_approval_for_admins as bound, v.state, (
      select coalesce(json_agg(json_build_object('id', r.id, 'by', u.email, 'version', v.version, 'is_current', r.digest = v.digest, 'status',
        case when r.status = 'pending' and r.submitted_at + interval '7 days' <= clock_now() then 'expired' else coalesce(closed_reason, status) end)), '[]')
      from approval r join app_user u on u.id = r.submitted_by where r.version_id = v.id) as requests
    from version v cross join org o where v.asset_id = ${agent.asset_id} order by length(v.version), v.version`);
  const byId = new Map(rows.flatMap(({ requests }) => requests.map((one) => [one.id, one] as const)));
  expect(byId.size).toBe(agent.ids.length);
  const { required, bound } = rows[0] ?? never();
  return {
    required,
    bound,
    versions: rows.map(({ state }) => state),
    requests: agent.ids.map((id) => {
      const { status, by, version, is_current } = byId.get(id) ?? never();
      return { status, by, version, is_current };
    }),
  };
}

function never(): never {
  throw new Error('the command names nobody, or nothing');
}
