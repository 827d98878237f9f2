// An organisation in the middle of its work, for the console: agents that serve, one that failed, one that waits for its approval, calls,
// costs, keys, secrets. Everything is typed through `svc` against a real service and a real engine; only the model is a stand-in.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@gantry/contract/client/client.ts';
import { modelUpstream, type ModelUpstream } from '../../server/src/testing/models/model-upstream.ts';
import { install, type OwnInstallation } from '../installation.ts';
import { agentYaml, writeProject } from '../write-project.ts';

export interface ConsoleStage {
  gantry: OwnInstallation;
  upstream: ModelUpstream;
  /** Who can sign in, with their passwords. */
  people: Record<Person, { email: string; password: string }>;
  stop: () => Promise<void>;
}

/** ada writes, dora deploys, max decides for the team ml; vera reads; flagged must change her password first. */
export type Person = 'admin' | 'ada' | 'dora' | 'max' | 'vera' | 'flagged';

export async function openConsoleStage(): Promise<ConsoleStage> {
  const upstream = await modelUpstream();
  const gantry = await install({ OUTBOUND_PRIVATE_HOSTS: `${upstream.host},127.0.0.1` });
  const stop = async () => {
    await gantry.stop();
    await upstream.stop();
  };
  let flagged_password = '';
  try {
    flagged_password = await makePeople(gantry);
    await makeModel(gantry, upstream);
    await deployAgents(gantry);
    await callAgents(gantry);
    await leaveRequests(gantry);
    await orchestrate(gantry);
  } catch (error) {
    await stop();
    throw error;
  }
  const person = (name: string) => ({ email: `${name}@example.com`, password: `password of ${name}` });
  return {
    gantry,
    upstream,
    people: {
      admin: { email: 'admin@gantry.local', password: gantry.admin_password },
      ada: person('ada'),
      dora: person('dora'),
      max: person('max'),
      vera: person('vera'),
      flagged: { email: 'flagged@example.com', password: flagged_password },
    },
    stop,
  };
}

async function makePeople(gantry: OwnInstallation): Promise<string> {
  await gantry.must('svc team create ml');
  await gantry.must('svc team create support');
  for (const name of ['ada', 'dora', 'max', 'vera']) await gantry.person(name);
  for (const [name, role] of [
    ['ada', 'contributor'],
    ['dora', 'deployer'],
    ['max', 'admin'],
    ['vera', 'viewer'],
  ])
    await gantry.must(`svc team add ml user:${name}@example.com --role ${role}`);
  const { stdout } = await gantry.must('svc user create flagged@example.com --print-password --json');
  return (JSON.parse(stdout) as { one_time_password: string }).one_time_password;
}

async function makeModel(gantry: OwnInstallation, upstream: ModelUpstream): Promise<void> {
  await gantry.must(
    `svc model add gpt-4o-mini --provider acme --model gpt-4o-mini --base-url ${upstream.base_url} --team ml`,
  );
  await gantry.must('svc model price set gpt-4o-mini --input 0.15 --output 0.60');
  await gantry.must('svc key create --scope team --scope-id ml --alias notebooks --models "gpt-4o*" --daily 5');
  await gantry.must('svc team budget set ml --monthly 500');
}

async function deployAgents(gantry: OwnInstallation): Promise<void> {
  await gantry.project('langgraph-greeter', 'greeter', { team: 'ml' });
  await gantry.project('langgraph-openai', 'clock', { team: 'ml' });
  await gantry.project('langgraph-desk', 'desk', { team: 'ml' });
  await gantry.project('langgraph-refunds', 'refunds', { team: 'ml' });
  await gantry.must('svc submit --message "the first greeting"', { in: 'greeter', as: 'ada' });
  const token = await gantry.token('max');
  const max = createClient({ base_url: gantry.url, token: () => token });
  const [request] = (await max.call('approvals.list', { query: { asset: 'agents/greeter' } })).items;
  await gantry.must(`svc review approve ${request?.id} --reason "reads nothing, says hello"`, { as: 'max' });
  await gantry.must('svc deploy agents/greeter@1.0.0', { as: 'dora' });
  const sees = await readFile(join(clone, 'e2e/agents/seer.py'), 'utf8');
  const takes = agentYaml('seer', 'description: Says which files it gets\nfiles: [image/png, "text/*"]\n');
  await writeProject(gantry, 'seer', { 'agent.yaml': takes, 'agent.py': sees });
  await writeProject(gantry, 'cashier', {
    'agent.yaml': agentYaml('cashier', 'description: Pays refunds, and writes to customers\n'),
    'agent.py': await readFile(join(clone, 'e2e/agents/cashier.py'), 'utf8'),
  });
  for (const folder of ['clock', 'desk', 'refunds', 'seer', 'cashier']) await gantry.must('svc deploy', { in: folder });
  const broken = await gantry.project('langgraph-greeter', 'broken', { name: 'broken', team: 'ml' });
  const code = await readFile(join(broken, 'agent.py'), 'utf8');
  await writeFile(join(broken, 'agent.py'), `${code}\nraise RuntimeError("the list of greetings is not there")\n`);
  await gantry.type('svc deploy', { in: 'broken' });
}

async function callAgents(gantry: OwnInstallation): Promise<void> {
  for (const name of ['Ada', 'Max', 'Eve']) await gantry.must(`svc invoke greeter '{"message": "I am ${name}"}'`);
  const ask = `'{"messages": [{"role": "user", "content": "What is the capital of France?"}]}'`;
  for (let n = 0; n < 3; n++) await gantry.type(`svc invoke clock ${ask}`);
  for (const as of ['max', 'vera'])
    await gantry.must(`svc invoke refunds '{"order": "12", "amount": 80}' --thread order-12`, { as });
  await gantry.must(`svc invoke cashier '{"order": "31"}' --thread order-31`, { as: 'max' });
  await gantry.must(`svc invoke clock ${ask} --thread france`, { as: 'max' });
  await gantry.must(`svc invoke desk '{"question": "How does Ann pay?"}'`);
  await gantry.type(`svc invoke desk '{"question": "How are the prices?"}'`);
}

const about: Record<string, string> = {
  report: 'Edits a question, and looks up its answer',
  panel: 'Three answers to one question',
  review: 'Two answers, merged into one',
  helpdesk: 'Gives each question to the agent that knows it',
  crew: 'An editor who asks the others',
  relay: 'Edits a text, and passes it on',
  draft: 'Says a fact and goodbye',
};
const clone = join(import.meta.dirname, '../..');
const members = {
  facts: 'facts: {ref: agents/clock}',
  tone: 'tone: {ref: agents/greeter}',
  edit: 'edit: {ref: agents/editor, output: /answer}',
  spare: 'edit: {ref: agents/editor, output: /answer, fallback: tone}',
};

/** One of each strategy. `relay` is not deployed, and a member of `draft` has no container. */
const orchestrations: Record<string, string> = {
  report: `strategy: sequential\nagents: {${members.edit}, ${members.facts}}`,
  panel: `strategy: parallel\non_error: continue\nagents: {${members.facts}, ${members.tone}, ${members.edit}}`,
  review: `strategy: fan_out_fan_in\nsupervisor_config: {merge_agent: edit}\nagents: {${members.facts}, ${members.tone}, ${members.edit}}`,
  helpdesk: `strategy: router\nagents:
  ask: {ref: agents/desk, routes: [{condition: capital, target: facts}, {condition: {regex: "(?i)^(hello|hi)"}, target: tone}, {condition: {equals: gold, at: /customer/plan}, target: tone}, {condition: default, target: edit}]}
  ${members.facts}\n  ${members.tone}\n  ${members.spare}`,
  crew: `strategy: supervisor\non_error: continue\nsupervisor_config: {supervisor_agent: edit}\nagents: {${members.edit}, ${members.facts}, ${members.tone}}`,
  relay: `strategy: sequential\nagents: {${members.edit}, ${members.tone}}`,
  draft: `strategy: sequential\nagents: {${members.facts}, bye: {ref: agents/waver}}`,
};

async function orchestrate(gantry: OwnInstallation): Promise<void> {
  const code = await readFile(join(clone, 'e2e/agents/member.py'), 'utf8');
  const yaml = agentYaml('editor', 'description: Edits a text\ndeploy:\n  env_vars: {NAME: editor}\n');
  await writeProject(gantry, 'editor', { 'agent.yaml': yaml, 'agent.py': code });
  await gantry.must('svc deploy', { in: 'editor' });
  for (const [name, rest] of Object.entries(orchestrations)) {
    await mkdir(join(gantry.directory, `together-${name}`));
    const file = join(gantry.directory, `together-${name}`, 'orchestration.yaml');
    await writeFile(file, `name: ${name}\nversion: 1.0.0\nteam: ml\ndescription: ${about[name]}\n${rest}\n`);
    await gantry.must('svc orchestration push', { in: `together-${name}`, as: 'max' });
    if (name !== 'relay' && name !== 'draft') await gantry.must(`svc orchestration deploy ${name}`);
  }
  const question = '"What is the capital of France?"';
  for (const name of ['report', 'review', 'helpdesk', 'crew'])
    await gantry.must(`svc orchestration run ${name} ${question}`, { as: 'max' });
  await gantry.must('svc orchestration run panel "fail"', { as: 'max' });
}

async function leaveRequests(gantry: OwnInstallation): Promise<void> {
  await gantry.must('svc secret set CRM_TOKEN --team ml', { stdin: 'a token of the crm' });
  const file = join(gantry.directory, 'greeter', 'agent.yaml');
  const yaml = await readFile(file, 'utf8');
  await writeFile(
    file,
    yaml
      .replace('version: 1.0.0', 'version: 1.1.0')
      .replace('Greets users by their name', 'Greets users by their name, and knows who they are')
      .replace('deploy:\n', 'deploy:\n  secrets: [CRM_TOKEN]\n  egress: ["crm.example.com:443"]\n'),
  );
  const agent = join(gantry.directory, 'greeter', 'agent.py');
  const code = await readFile(agent, 'utf8');
  await writeFile(agent, code.replace('nice to meet you!', 'it is good to see you again!'));
  await gantry.must('svc submit --message "a kinder greeting"', { in: 'greeter', as: 'ada' });
  await gantry.project('langgraph-greeter', 'waver', { name: 'waver', team: 'ml' });
  await gantry.must('svc submit --message "says goodbye"', { in: 'waver', as: 'ada' });
}
