// Which run a call to a model belongs to: real graphs in containers, the ingress, the gateway and its ledger. crewai.test.ts has a crew.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../server/src/ground/database/database.ts';
import { adminOf } from '../api.ts';
import { callAgent, type Agent } from '../call-agent.ts';
import { databaseOf } from '../database-of.ts';
import { tracedRuns, type TracedRuns } from '../traced-runs.ts';
import { agentYaml, writeProject } from '../write-project.ts';
import { sharedInstallation, type SharedInstallation } from './shared-installation.ts';
import { teams } from './teams.ts';

const clone = join(import.meta.dirname, '../..');
const names = ['a', 'b', 'c', 'd'];
/** Another file may give the model in the projects another address. */
const own_model = 'askers-model';
let gantry: SharedInstallation;
let db: Database;
let runs_of: TracedRuns;
let asker: Agent;
let thief: Agent;

beforeAll(async () => {
  gantry = await sharedInstallation('askers', teams.langchain_openai);
  db = await databaseOf(gantry);
  const admin = await adminOf(gantry);
  runs_of = tracedRuns({ db, admin });
  for (const name of [...names, own_model])
    await admin.call('registry.create', {
      params: { kind: 'model' },
      body: { name, team: gantry.team, config: { provider: 'test', model: name, base_url: gantry.model_url } },
    });
  asker = await deploy('asker');
  thief = await deploy('thief');
});
afterAll(async () => await db?.close());

async function deploy(name: string): Promise<Agent> {
  await writeProject(gantry, name, {
    'agent.yaml': agentYaml(name, '', gantry.team),
    'agent.py': (await readFile(join(clone, 'e2e/agents/asker.py'), 'utf8')).replaceAll('gpt-4o-mini', own_model),
    'requirements.txt': await readFile(join(clone, 'examples/langgraph-openai/requirements.txt'), 'utf8'),
  });
  await gantry.must('svc deploy', { in: name });
  return callAgent(`${gantry.url}/agents/${name}`, await gantry.token());
}

test('each ledger row of a graph has its own run, with sync and async nodes, branches and streams, all at once', async () => {
  // Each run calls a model of its own.
  const ways = ['invoke', 'invoke', 'stream', 'background'] as const;
  const runs = await Promise.all(
    names.map(async (name, n) => await runs_of.run(asker, ways[n] ?? 'invoke', { do: 'ask', model: name }, name)),
  );
  const wanted = names.flatMap((name, n) => Array.from({ length: 5 }, () => runs_of.rowOf(name, runs[n] ?? '', name)));
  expect(await runs_of.rowsOf('asker')).toEqual(wanted);
  for (const name of names) await runs_of.checkTrace(name, 5);
  expect((await gantry.must(`svc costs --by model --run ${runs[0]}`)).stdout).toContain('for 5 calls');
});

test('the token of a run is refused from another agent, and no header of the agent’s code changes a run', async () => {
  const { json } = await asker.ask({ do: 'tell' });
  const token = String(json.output?.result);
  expect(token).toMatch(/^ey/);
  const sends = async (agent: Agent, given: string) =>
    (await agent.ask({ do: 'send', model: 'a', token: given })).json.output?.result;
  const before = await runs_of.rowsOf('thief');
  expect(await sends(thief, token)).toMatchObject({ status: 403, code: 'run_refused' });
  expect(await sends(thief, `${token}x`)).toMatchObject({ status: 403, code: 'run_refused' });
  expect(await runs_of.rowsOf('thief')).toEqual(before);
  expect(await sends(asker, token)).toMatchObject({ status: 200 });
  expect(await sends(thief, '')).toMatchObject({ status: 200 });
  expect(await runs_of.rowsOf('thief')).toMatchObject([{ run_id: null, caller: null }]);
});
