// Agents that call a model while they load: real containers, the deploy and the gateway.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../server/src/ground/database/database.ts';
import { sql } from '../../server/src/ground/database/sql.ts';
import { adminOf } from '../api.ts';
import { callAgent } from '../call-agent.ts';
import { databaseOf } from '../database-of.ts';
import { agentYaml, writeProject } from '../write-project.ts';
import { sharedInstallation, type SharedInstallation } from './shared-installation.ts';
import { teams } from './teams.ts';

const clone = join(import.meta.dirname, '../..');
/** Another file may give the model in the project another address. */
const own_model = 'early-model';
let gantry: SharedInstallation;
let db: Database;

beforeAll(async () => {
  gantry = await sharedInstallation('early', teams.langchain_openai);
  db = await databaseOf(gantry);
  const config = { provider: 'test', model: own_model, base_url: gantry.model_url };
  await (
    await adminOf(gantry)
  ).call('registry.create', { params: { kind: 'model' }, body: { name: own_model, team: gantry.team, config } });
});
afterAll(async () => await db?.close());

async function project(name: string, change: (code: string) => string = (code) => code): Promise<void> {
  await writeProject(gantry, name, {
    'agent.yaml': agentYaml(name, '', gantry.team),
    'agent.py': change(
      (await readFile(join(clone, 'e2e/agents/early_caller.py'), 'utf8')).replaceAll('gpt-4o-mini', own_model),
    ),
    'requirements.txt': await readFile(join(clone, 'examples/langgraph-openai/requirements.txt'), 'utf8'),
  });
}

test('an agent that calls a model while it loads deploys and answers, and the call is its cost', async () => {
  await project('early');
  await gantry.must('svc deploy', { in: 'early', timeout_ms: 290_000 });
  const answered = await callAgent(`${gantry.url}/agents/early`, await gantry.token()).ask({ said: 'hi' });
  expect(answered.json.output?.result).toBe('The capital of France is Paris.');
  const calls = async () =>
    await db.all(sql`select team, 'during:start' = any(tags) as at_start from ledger where agent = 'early'`);
  await expect.poll(calls).toEqual([{ team: gantry.team, at_start: true }]);
});

test('a start that fails at a refused call says what the gateway refused, and its key has ended', async () => {
  await project('wrong', (code) => code.replace(own_model, 'gpt-9'));
  const { code, output } = await gantry.type('svc deploy', { in: 'wrong', timeout_ms: 290_000 });
  expect(code, output).toBe(1);
  const said = output.replaceAll(/\s+/g, ' ');
  expect(said).toContain('During this start, the model gateway refused a call of the agent');
  expect(said).toContain('may not call "gpt-9"');
  expect(said).toContain('svc model add');
  expect(said).not.toContain('Correct the fault above');
  const [key] = await db.all<{ id: string; is_revoked: boolean; is_activated: boolean }>(sql`
    select k.id, revoked_at is not null as is_revoked, activated_at is not null as is_activated
    from gateway_key k join asset a on a.id = k.scope_id where a.name = 'wrong'`);
  expect(key).toMatchObject({ is_revoked: true, is_activated: false });
});
