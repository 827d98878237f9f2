// Orchestrations and their runs, for tests of permissions.
import { randomUUID } from 'node:crypto';
import { sql } from '../../ground/database/sql.ts';
import type { StoredAgent } from './stored-agent.ts';
import type { TestApp, TestUser } from '../test-app.ts';

/** Its only member is the agent. */
export async function storeOrchestration(
  { client }: TestUser,
  {
    name,
    team,
    agent,
    visibility = 'team',
  }: { name: string; team: string; agent: string; visibility?: 'org' | 'team' },
): Promise<void> {
  const config = {
    name,
    version: '1.0.0',
    team,
    strategy: 'sequential',
    agents: [{ name: 'one', ref: `agents/${agent}` }],
  };
  const body = { name, team, visibility, config };
  await client.call('registry.create', { params: { kind: 'orchestration' }, body });
}

/** The same, approved and deployed. */
export async function deployedOrchestration(
  app: TestApp,
  owner: TestUser,
  { name, agent, visibility }: { name: string; agent: StoredAgent; visibility: 'org' | 'team' },
): Promise<string> {
  await storeOrchestration(owner, { name, team: 'ml', agent: agent.name, visibility });
  const { id } = await owner.client.call('approvals.submit', { body: { asset: `orchestrations/${name}@1.0.0` } });
  await app.admin.client.call('approvals.approve', { params: { id }, body: {} });
  await app.admin.client.call('orchestrations.deploy', { params: { name }, body: {} });
  return name;
}

/** A run by this caller that no process executes. A worker takes over one that is running. */
export async function orchestrationRunOf(
  { db }: TestApp,
  name: string,
  label: string,
  state: 'running' | 'done' | 'failed' = 'running',
): Promise<string> {
  const id = randomUUID();
  await db.run(sql`
    insert into run (id, kind, mutex, input, actor_id, actor_name, behind, state, started_at, ended_at)
    select ${id}, 'orchestration', ${id}, jsonb_build_object('orchestration_id', a.id, 'name', a.name, 'version', '1.0.0', 'digest', 'x',
      'version_id', (select v.id from version v where v.asset_id = a.id limit 1),
      'trace', jsonb_build_object('trace_id', ${'0'.repeat(32)}::text)), i.id, i.label, false, ${state}, clock_now(),
      case when ${state} <> 'running' then clock_now() end
    from identity i, asset a where i.label = ${label} and a.kind = 'orchestration' and a.name = ${name}`);
  return id;
}

/** The same, begun by a message of A2A. */
export async function orchestrationTaskOf(app: TestApp, name: string, label: string): Promise<string> {
  const id = await orchestrationRunOf(app, name, label);
  const task = JSON.stringify({ context_id: 'context', input: 'hi' });
  await app.db.run(sql`update run set input = input || ${task}::jsonb where id = ${id}`);
  return id;
}

/** Replaces the workers of a test without any: a run ends when somebody cancels it. */
export async function endCancelledRuns({ db }: TestApp): Promise<void> {
  await db.run(sql`
    create function end_cancelled() returns trigger language plpgsql as $$
    begin new.state := 'cancelled'; new.ended_at := clock_now(); return new; end $$`);
  await db.run(sql`
    create trigger end_cancelled before update on run for each row
    when (new.state = 'cancelling' and new.kind = 'orchestration') execute function end_cancelled()`);
}
