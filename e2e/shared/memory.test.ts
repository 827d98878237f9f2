// An agent that is written for langgraph's platform, unchanged: it has no checkpointer and no store. The service keeps both, and they outlast
// every container.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { callAgent, type Agent } from '../call-agent.ts';
import { engineOf, type Seen } from '../engine-of.ts';
import type { Installation } from '../installation.ts';
import { agentYaml, writeProject } from '../write-project.ts';
import { sharedInstallation } from './shared-installation.ts';
import { teams } from './teams.ts';

const rememberer = await readFile(join(import.meta.dirname, '../agents/rememberer.py'), 'utf8');

let gantry: Installation;
let seen: Seen;
let nia: Agent;
let nils: Agent;

beforeAll(async () => {
  gantry = await sharedInstallation('memories', teams.langgraph);
  for (const name of ['nia', 'nils']) {
    await gantry.person(name);
    await gantry.must(`svc team add ${gantry.team} user:${name}@example.com --role viewer`);
  }
  await writeProject(gantry, 'rememberer', { 'agent.py': rememberer });
  await gantry.must('svc deploy', { in: 'rememberer' });
  const of = async (name: string) => callAgent(`${gantry.url}/agents/rememberer`, await gantry.token(name));
  [nia, nils] = [await of('nia'), await of('nils')];
  seen = await engineOf(gantry);
}, 300_000);

const say = async (agent: Agent, value: string, thread_id: string) =>
  (await agent.ask({ do: 'say', value }, { thread_id })).json.output?.result;
const resume = async (agent: Agent, thread_id: string | undefined, value: unknown) =>
  await agent.send('/invoke', { method: 'POST', body: JSON.stringify({ thread_id, resume: value }) });
const containers = async () => (await seen.running('agent')).filter((one) => one.startsWith('svc-rememberer-'));

describe('a thread', () => {
  test('goes on with the next call, and two callers with one name have two', async () => {
    expect(await say(nia, 'tea', 'breakfast')).toEqual(['tea']);
    expect(await say(nils, 'coffee', 'breakfast')).toEqual(['coffee']);
    expect(await say(nia, 'toast', 'breakfast')).toEqual(['tea', 'toast']);
  });

  test('new is a new one, and its answer names it', async () => {
    const { json } = await nia.ask({ do: 'say', value: 'one' }, { thread_id: 'new' });
    expect(json.thread_id).toBe(json.run_id);
    expect(await say(nia, 'two', json.thread_id ?? '')).toEqual(['one', 'two']);
  });

  test('has its calls one after the other', async () => {
    const slow = nia.ask({ do: 'slowly', value: 1 }, { thread_id: 'queue' });
    await expect.poll(async () => (await nia.send('/threads?state=working')).text).toContain('"thread_id":"queue"');
    const others = await Promise.all(['b', 'c'].map(async (value) => (await say(nia, value, 'queue')) as string[]));
    expect((await slow).json.output?.result).toBe(0);
    expect(others.map(({ length }) => length).toSorted((a, b) => a - b)).toEqual([2, 3]);
  });

  test('outlasts its container, and the service', async () => {
    await say(nia, 'before', 'lasting');
    const [name = ''] = await containers();
    await seen.engine.docker.getContainer(name).kill();
    await expect.poll(async () => (await nia.ask({ do: 'version' })).status, { timeout: 60_000 }).toBe(200);
    expect(await say(nia, 'after the kill', 'lasting')).toEqual(['before', 'after the kill']);
    await gantry.must('svc restart rememberer');
    expect(await say(nia, 'after the restart', 'lasting')).toEqual(['before', 'after the kill', 'after the restart']);
  }, 180_000);
});

describe('a person in the loop', () => {
  test('is asked in a call without a thread, and answers later', async () => {
    const { json } = await nia.ask({ do: 'ask', value: 'really?' });
    expect(json).toMatchObject({ status: 'interrupted', interrupts: [{ value: { question: 'really?' } }] });
    const shown = await nia.send(`/threads/${json.thread_id}`);
    expect(shown.json).toMatchObject({
      data: { state: 'waiting', interrupts: [{ value: { question: 'really?' } }], next: ['ask'] },
    });
    expect((await nils.send(`/threads/${json.thread_id}`)).status).toBe(404);
    const answered = await resume(nia, json.thread_id, 'yes');
    expect(answered.json).toMatchObject({ status: 'completed', output: { result: 'first heard yes' } });
    expect((await resume(nia, json.thread_id, 'again')).json).toMatchObject({ code: 'nothing_to_resume' });
  });

  test('is asked by one version and answers to the next one, and to the one before it after a rollback', async () => {
    const ask = async (question: string) =>
      (await nia.ask({ do: 'ask', value: question }, { thread_id: question })).json;
    expect(await ask('which version?')).toMatchObject({ status: 'interrupted' });
    expect(await ask('still there?')).toMatchObject({ status: 'interrupted' });
    await writeProject(gantry, 'rememberer', {
      'agent.py': rememberer.replace('"first"', '"second"'),
      'agent.yaml': agentYaml('rememberer', '', gantry.team).replace('1.0.0', '1.1.0'),
    });
    await gantry.must('svc deploy', { in: 'rememberer' });
    expect((await resume(nia, 'which version?', 'a')).json).toMatchObject({ output: { result: 'second heard a' } });
    await gantry.must('svc rollback rememberer');
    expect((await resume(nia, 'still there?', 'b')).json).toMatchObject({ output: { result: 'first heard b' } });
  }, 240_000);
});

test('the store keeps facts of each caller, across threads', async () => {
  await nia.ask({ do: 'keep', value: { key: 'a', text: 'Cal likes tea' } }, { thread_id: 'one' });
  await nils.ask({ do: 'keep', value: { key: 'a', text: 'Dora likes coffee' } });
  expect((await nia.ask({ do: 'facts' }, { thread_id: 'two' })).json.output?.result).toEqual(['Cal likes tea']);
  expect((await nils.ask({ do: 'facts' })).json.output?.result).toEqual(['Dora likes coffee']);
});

describe('svc threads share', () => {
  const typed = async (line: string, as: string) => {
    const { code, output } = await gantry.type(`svc threads ${line}`, { as });
    return `${code} ${output}`;
  };

  beforeAll(async () => {
    await say(nia, 'a secret', 'told');
  });

  test('lets one person read one conversation, until it is taken back', async () => {
    expect(await typed('shares rememberer told', 'nia')).toContain('Only you read told. Share it: svc threads share');
    const shared = await typed('share rememberer told --with nils@example.com --days 2', 'nia');
    expect(shared).toMatch(/^0 ✓ user:nils@example.com may read told with rememberer; it ends /);
    expect(await typed('shares rememberer told', 'nia')).toMatch(/WITH +SHARED +ENDS\s+user:nils@example.com /);
    const { stdout } = await gantry.must('svc threads list rememberer --shared --json', { as: 'nils' });
    const [share] = JSON.parse(stdout) as { id: string; owner: string }[];
    expect(share?.owner).toBe('nia@example.com');
    const read = await typed(`show rememberer ${share?.id} --shared`, 'nils');
    expect(read).toContain('a secret');
    expect(read).toContain('shared until');
    // A share is to read.
    expect(await typed(`delete rememberer ${share?.id} --yes`, 'nils')).toMatch(/^1 /);
    const taken = await typed('unshare rememberer told --with user:nils@example.com', 'nia');
    expect(taken).toMatch(/^0 ✓ user:nils@example.com may no longer read told/);
    expect(await typed(`show rememberer ${share?.id} --shared`, 'nils')).toMatch(/^1 (?!.*a secret)/s);
    expect(await typed('list rememberer --shared', 'nils')).toContain(
      'Nobody shares a thread with rememberer with you.',
    );
  });

  test('refuses each other use with the reason', async () => {
    const refusals: [line: string, as: string, code: number, said: string][] = [
      ['share rememberer told', 'nia', 2, '--with'],
      ['share rememberer told --with nils', 'nia', 2, '"nils" is neither a person nor a team'],
      ['share rememberer told --with group:all', 'nia', 2, 'Write user:ada@example.com or team:ml.'],
      ['share rememberer told --with team:ml --days 0', 'nia', 2, '--days'],
      ['share rememberer told --with nils@example.com --days 31', 'nia', 1, 'shared for at most 30 days'],
      ['share rememberer told --with nia@example.com', 'nia', 1, 'The thread is yours already.'],
      ['share rememberer told --with nobody@example.com', 'nia', 1, 'is nobody who may use agents/rememberer'],
      ['share rememberer told --with team:none', 'nia', 1, 'is neither a team of yours nor the team of'],
      ['share rememberer told --with nia@example.com', 'nils', 1, 'You have no such thread with agents/rememberer'],
      ['shares rememberer told', 'nils', 1, 'You have no such thread with agents/rememberer'],
      ['unshare rememberer told --with nils@example.com', 'nia', 1, 'told is not shared with user:nils@example.com'],
    ];
    const answers = refusals.map(async ([line, as]) => await typed(line, as));
    for (const [index, [, , code, said]] of refusals.entries()) {
      expect(await answers[index]).toMatch(new RegExp(`^${code} `));
      expect(await answers[index]).toContain(said);
    }
  });
});
