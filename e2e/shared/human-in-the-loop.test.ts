// langchain's own agent with its human-in-the-loop middleware, unchanged: a person decides on its tools, from the terminal.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { adminOf } from '../api.ts';
import { callAgent } from '../call-agent.ts';
import { agentYaml, writeProject } from '../write-project.ts';
import { sharedInstallation, type SharedInstallation } from './shared-installation.ts';

const careful = await readFile(join(import.meta.dirname, '../agents/careful.py'), 'utf8');
const model = 'careful-model';
const paris = 'The capital of France is Paris.';

let gantry: SharedInstallation;
let admin: Client;

beforeAll(async () => {
  gantry = await sharedInstallation('reviewers');
  admin = await adminOf(gantry);
  await admin.call('registry.create', {
    params: { kind: 'model' },
    body: {
      name: model,
      team: gantry.team,
      config: {
        provider: 'test',
        model,
        base_url: gantry.model_url,
        price_usd_per_million: { input: '1', output: '1' },
      },
    },
  });
  await deploy('careful', careful);
  await deploy(
    'careful-each',
    careful.replace('"batched"', '"per_call"').replace('{"weather": ALLOWED}', '{"weather": True}'),
  );
}, 400_000);

async function deploy(name: string, code: string): Promise<void> {
  await writeProject(gantry, name, {
    'agent.yaml': agentYaml(name, `model:\n  primary: ${model}\n`, gantry.team),
    'agent.py': code,
    'requirements.txt': 'langchain>=1.5\nlangchain-openai>=1.0\n',
  });
  await gantry.must('svc deploy', { in: name });
}

async function ask(agent: string, thread: string, content = 'How is the weather?') {
  const caller = callAgent(`${gantry.url}/agents/${agent}`, await gantry.token());
  const { json } = await caller.ask({ messages: [{ role: 'user', content }] }, { thread_id: thread });
  expect(json.status).toBe('interrupted');
}
const answer = async (agent: string, thread: string, given: string) =>
  await gantry.type(`svc answer ${agent} ${thread} '${given}'`);
const decisions = (...decided: object[]) => JSON.stringify({ decisions: decided });
const edit = (city: string) => ({ type: 'edit', edited_action: { name: 'weather', args: { city } } });
const approve = { type: 'approve' };

/** What the model has got of its tools, in this thread. */
async function results(agent: string, thread: string): Promise<string[]> {
  const { latest } = await admin.call('threads.show', { params: { name: agent, thread } });
  const messages = latest?.values['messages'] as { role: string; content: string }[];
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
}

describe('all actions of a step in one question', () => {
  test('waits in the inbox with the action, its arguments and the decisions that it takes', async () => {
    await ask('careful', 'read');
    const { output } = await gantry.must('svc inbox --own');
    expect(output).toContain('weather {"city":"Paris"} · approve, edit or reject');
  });

  test('an approved tool runs once, an edited one with the arguments of the person', async () => {
    await ask('careful', 'approved');
    expect((await answer('careful', 'approved', 'approve')).output).toContain(paris);
    expect(await results('careful', 'approved')).toEqual(['look 1 at Paris']);
    await ask('careful', 'edited');
    expect((await answer('careful', 'edited', decisions(edit('Rome')))).output).toContain(paris);
    expect((await results('careful', 'edited')).join()).toContain('look 2 at Rome');
  });

  test('a rejected tool does not run, and the model gets the reason', async () => {
    await ask('careful', 'rejected');
    await answer('careful', 'rejected', decisions({ type: 'reject', message: 'it is expensive' }));
    const [reason, ...more] = await results('careful', 'rejected');
    expect(reason).toContain('it is expensive');
    expect(more).toEqual([]);
    const journal = await fetch(new URL('/__aimock/journal', gantry.model_url));
    expect(await journal.text()).toContain('it is expensive');
  });

  test('a decision that is not allowed is refused before the run, and the question waits for the next one', async () => {
    await ask('careful', 'refused');
    const respond = { type: 'respond', message: 'It rains.' };
    const typed = await answer('careful', 'refused', decisions(respond));
    expect([typed.code, typed.output]).toEqual([2, expect.stringContaining('approve, edit or reject, not respond')]);
    // As a client that asks nobody first.
    const caller = callAgent(`${gantry.url}/agents/careful`, await gantry.token());
    const send = async (path: string, body: object) =>
      (await caller.send(path, { method: 'POST', body: JSON.stringify(body) })).json;
    const refused = { code: 'answer_refused', detail: expect.stringContaining('not respond') as string };
    const value = { decisions: [respond] };
    expect(await send('/threads/refused/answer', { value })).toMatchObject(refused);
    expect(await send('/invoke', { thread_id: 'refused', resume: value })).toMatchObject(refused);
    expect((await answer('careful', 'refused', 'approve')).output).toContain(paris);
    expect(await results('careful', 'refused')).toEqual(['look 3 at Paris']);
  });

  test('two actions take a decision each, in their order', async () => {
    await ask('careful', 'two', 'How is the weather in two cities?');
    const { output } = await gantry.must('svc inbox --own');
    expect(output).toContain('weather {"city":"Paris"} · approve, edit or reject; weather {"city":"Rome"}');
    expect((await answer('careful', 'two', decisions(approve))).output).toContain('The answer has 1 decision');
    await answer('careful', 'two', decisions({ type: 'reject', message: 'not there' }, edit('Oslo')));
    const [rejected, edited] = await results('careful', 'two');
    expect(rejected).toContain('not there');
    expect(edited).toContain('look 4 at Oslo');
  });
});

describe('each action in a question of its own', () => {
  test('two are answered by their ids, together or one after the other', async () => {
    await ask('careful-each', 'together', 'How is the weather in two cities?');
    expect((await answer('careful-each', 'together', 'approve')).output).toContain(paris);
    expect((await results('careful-each', 'together')).toSorted()).toHaveLength(2);
    await ask('careful-each', 'apart', 'How is the weather in two cities?');
    const { interrupts } = await admin.call('threads.show', { params: { name: 'careful-each', thread: 'apart' } });
    const [first, second] = interrupts.map(({ id }) => id ?? '');
    const one = { [first ?? '']: { type: 'respond', message: 'I was there' } };
    await answer('careful-each', 'apart', JSON.stringify(one));
    const left = await admin.call('threads.show', { params: { name: 'careful-each', thread: 'apart' } });
    expect(left.interrupts.map(({ id }) => id)).toEqual([second]);
    await answer('careful-each', 'apart', JSON.stringify(edit('Rome')));
    expect((await results('careful-each', 'apart')).join()).toMatch(/I was there.*look 3 at Rome/s);
  });

  test('edited arguments of another type are refused before the run', async () => {
    await ask('careful-each', 'typed');
    const wrong = { type: 'edit', edited_action: { name: 'weather', args: { city: 5 } } };
    const { code, output } = await answer('careful-each', 'typed', JSON.stringify(wrong));
    expect(code).toBe(1);
    expect(output).toContain('/edited_action/args/city must be string');
  });
});
