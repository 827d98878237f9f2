import type { OrchestrationConfig, OrchestrationMember } from '@gantry/project/orchestration-yaml.ts';
import { describe, expect, test } from 'vitest';
import { strategies } from './index.ts';
import type { Call, Next, Outcome, Story } from './strategy.ts';

const base = { name: 'flow', version: '1.0.0', team: 'ml' } as const;
const members = (...names: string[]) => names.map((name) => ({ name, ref: `agents/${name}` }));

type Config = Pick<OrchestrationConfig, 'strategy' | 'agents'> & Partial<OrchestrationConfig>;

/** Plays a run: `answer` gives the outcome of each call. */
function play(
  more: Config,
  answer: (call: Call) => string | Outcome,
  input: unknown = 'Paris',
): { rounds: string[][]; calls: Map<string, Call>; answer: Extract<Next, { answer: unknown }>['answer'] } {
  const ended = new Map<string, Outcome>();
  const calls = new Map<string, Call>();
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  const facts = new Map(more.agents.map(({ name }) => [name, { description: `does ${name}`, input_schema: null }]));
  const story: Story = { config: { ...base, ...more }, input: { value: input, text }, members: facts, ended };
  const rounds: string[][] = [];
  for (;;) {
    const next = strategies[more.strategy](story);
    if ('answer' in next) return { rounds, calls, answer: next.answer };
    const fresh = next.calls.filter(({ path }) => !ended.has(path));
    if (fresh.length === 0) throw new Error('the strategy asks for nothing new');
    rounds.push(fresh.map(({ path }) => path));
    for (const call of fresh) {
      const said = answer(call);
      calls.set(call.path, call);
      ended.set(call.path, typeof said === 'string' ? { status: 'done', text: said, output: said } : said);
    }
  }
}

const error = { code: 'agent_error', detail: 'it failed', status: 500 };
const failed: Outcome = { status: 'failed', error };

test('sequential gives each member the text of the one before', () => {
  const run = play(
    { strategy: 'sequential', agents: members('a', 'b', 'c') },
    ({ member, input }) => `${member}(${String(input)})`,
  );
  expect(run.rounds).toEqual([['a'], ['b'], ['c']]);
  expect(run.answer).toEqual({ text: 'c(b(a(Paris)))', state: 'done' });
});

test('the first member gets the caller’s object unchanged', () => {
  const input = { topic: 'Paris', words: 10 };
  const run = play({ strategy: 'sequential', agents: members('a', 'b') }, () => 'text', input);
  expect(run.calls.get('a')?.input).toEqual(input);
  expect(run.calls.get('b')?.input).toBe('text');
});

test('parallel calls all members at once, and a failed one makes the answer partial', () => {
  const agents = members('a', 'b');
  const run = play({ strategy: 'parallel', agents }, ({ member }) => (member === 'b' ? failed : 'yes'));
  expect(run.rounds).toEqual([['a', 'b']]);
  expect(run.answer).toEqual({ text: null, state: 'partial' });
  expect(() => play({ strategy: 'parallel', agents }, () => failed)).toThrow('Every member has failed.');
});

test('fan_out_fan_in gives the task and all answers to the merge agent', () => {
  const config: Config = {
    strategy: 'fan_out_fan_in',
    agents: members('a', 'm', 'b'),
    supervisor_config: { merge_agent: 'm' },
  };
  const run = play(config, ({ member }) => (member === 'b' ? failed : member));
  expect(run.rounds).toEqual([['a', 'b'], ['m']]);
  expect(JSON.parse(String(run.calls.get('m')?.input))).toEqual({
    task: 'Paris',
    answers: { a: { status: 'done', output: 'a' }, b: { status: 'failed', error } },
  });
  expect(run.answer).toEqual({ text: 'm', state: 'partial' });
});

describe('router', () => {
  const routes: NonNullable<OrchestrationMember['routes']> = [
    { condition: 'default', target: 'other' },
    { condition: 'invoice', target: 'billing' },
    { condition: { regex: '^(help|sos)\\b' }, target: 'support' },
    { condition: { equals: 'de', at: '/language' }, target: 'german' },
  ];
  const agents = [{ name: 'desk', ref: 'agents/desk', routes }, ...members('billing', 'support', 'german', 'other')];

  test.each([
    ['Where is my INVOICE?', 'billing'],
    ['help me', 'support'],
    ['no help', 'other'],
    [{ language: 'de', text: 'Hallo' }, 'german'],
  ])('%j goes to %s: the first route that fits, and the default last', (input, target) => {
    const run = play({ strategy: 'router', agents }, ({ member }) => member, input);
    expect(run.rounds).toEqual([[target]]);
    expect(run.answer).toEqual({ text: target, state: 'done' });
  });

  test('the routes of several members are one list, and a member may get its own', () => {
    const several = [
      { name: 'bills', ref: 'agents/bills', routes: [{ condition: 'invoice', target: 'bills' }] },
      { name: 'tech', ref: 'agents/tech', routes: [{ condition: 'error', target: 'tech' }] },
    ];
    const run = play({ strategy: 'router', agents: several }, ({ member }) => member, 'an error in my invoice');
    expect(run.rounds).toEqual([['bills']]);
    expect(play({ strategy: 'router', agents: several }, ({ member }) => member, 'an error').answer.text).toBe('tech');
  });

  test('an input without a route is refused', () => {
    const some = [{ name: 'desk', ref: 'agents/desk', routes: routes.slice(1) }, ...agents.slice(1)];
    expect(() => play({ strategy: 'router', agents: some }, () => '')).toThrow(
      expect.objectContaining({ code: 'no_route' }),
    );
  });

  test('a classifier names the route by its condition or target, and nothing else counts', () => {
    const config: Config = {
      strategy: 'router',
      agents: [...agents, ...members('judge')],
      supervisor_config: { classifier: 'judge' },
    };
    const run = play(config, ({ member }) => (member === 'judge' ? ' support\n' : member));
    expect(run.rounds).toEqual([['classify:judge'], ['support']]);
    expect(() => play(config, () => 'I think it is billing')).toThrow(
      expect.objectContaining({ code: 'undecided', detail: expect.stringContaining('I think it is billing') }),
    );
  });
});

describe('supervisor', () => {
  const config: Config = {
    strategy: 'supervisor',
    agents: members('boss', 'a', 'b'),
    supervisor_config: { supervisor_agent: 'boss' },
  };
  const calls = JSON.stringify({
    calls: [
      { agent: 'a', input: 'one' },
      { agent: 'b', input: { n: 2 } },
    ],
  });

  test('it names the calls, gets the results and answers', () => {
    const run = play(config, ({ path, member }) =>
      path === '1:boss'
        ? calls
        : path === '2:boss'
          ? '```json\n{"answer": "done"}\n```'
          : member === 'b'
            ? failed
            : 'A',
    );
    expect(run.rounds).toEqual([['1:boss'], ['1:1:a', '1:2:b'], ['2:boss']]);
    expect(run.calls.get('1:2:b')?.input).toEqual({ n: 2 });
    expect(JSON.parse(String(run.calls.get('2:boss')?.input))).toMatchObject({
      task: 'Paris',
      workers: [{ agent: 'a', description: 'does a' }, { agent: 'b' }],
      results: [
        { agent: 'a', input: 'one', status: 'done', output: 'A' },
        { agent: 'b', input: { n: 2 }, status: 'failed', error },
      ],
    });
    expect(run.answer).toEqual({ text: 'done', state: 'partial' });
  });

  test.each(['nonsense', '{"calls": [{"agent": "boss", "input": ""}]}', '{"calls": []}', '{"answer": "x"} and more'])(
    'after %j it is asked once more, and then refused',
    (said) => {
      const run = play(config, ({ path }) => (path === '1:boss' ? said : '{"answer": "better"}'));
      expect(run.rounds).toEqual([['1:boss'], ['1:again:boss']]);
      expect(run.answer.text).toBe('better');
      expect(() => play(config, () => said)).toThrow(expect.objectContaining({ code: 'undecided' }));
    },
  );

  test('a supervisor that never answers is refused after its rounds', () => {
    const twice: Config = { ...config, supervisor_config: { supervisor_agent: 'boss', max_iterations: 2 } };
    expect(() => play(twice, ({ member }) => (member === 'boss' ? calls : 'x'))).toThrow(
      'The supervisor gave no answer in 2 rounds.',
    );
  });
});
