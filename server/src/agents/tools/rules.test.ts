// Rules on the arguments of calls: of the server's config, and of agent.yaml. A real server of the protocol must not see what they refuse.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { toolStage, type ToolStage } from '../../testing/agents/tool-stage.ts';
import { textTool } from '../../testing/servers/mcp-server.ts';
import { recordCalls } from './record-calls.ts';

const rules = [
  { name: 'swiss', tools: ['weather'], allow: 'args.city.startsWith("B")', because: 'Only cities with a B.' },
  { name: 'known-callers', deny: '!caller.name.endsWith("@example.com")', because: 'Only our people.' },
  { name: 'slow', tools: ['slow'], allow: 'args.city.matches("^(a+)+$")', because: 'Only a.' },
];
const yaml = `    rules:
      - {name: not-bonn, deny: args.city == "Bonn" && agent.name == "keeper", because: Bonn is too far.}
`;

let stage: ToolStage;
beforeAll(async () => {
  const tools = ['weather', 'tides', 'slow'].map((name) =>
    textTool(name, `The ${name}`, ({ city }) => `In ${String(city)}`),
  );
  stage = await toolStage({ tools, config: { rules }, yaml });
});
afterAll(async () => await stage?.close());
beforeEach(async () => await stage.begin());
afterEach(async () => await stage.end());

test('a call passes the rules of the server and of the agent', async () => {
  expect(await stage.call('weather', { city: 'Bern' })).toMatchObject({ text: 'In Bern', isError: false });
  expect(await stage.call('tides', { city: 'Chur' })).toMatchObject({ text: 'In Chur', isError: false });
});

test.each([
  ['weather', { city: 'Chur' }, 'swiss of mcp-servers/city@1.0.0', 'Only cities with a B.'],
  ['weather', { city: 'Bonn' }, 'not-bonn of agents/keeper', 'Bonn is too far.'],
  ['weather', {}, 'swiss of mcp-servers/city@1.0.0', 'could not be evaluated (No such key: city'],
])(
  'a call of %s with %o reaches no server, and the refusal names the rule and its reason',
  async (tool, args, rule, sentence) => {
    const refused = await stage.call(tool, args);
    expect(refused).toMatchObject({ isError: true, code: 'rule_refused' });
    expect(refused.text).toContain(sentence);
    expect(refused.text).toContain(`the rule ${rule}`);
    expect(stage.upstream.called).toEqual([]);
  },
);

test('the audit log names the rule that refused, and has no arguments', async () => {
  await stage.call('tides', { city: 'Bonn' });
  while (await recordCalls(stage.app.db));
  const { items } = await stage.app.admin.client.call('audit.list', { query: { action: 'tools.called' } });
  const list = items.flatMap(({ detail }) => detail['list']) as { run_id: string }[];
  expect(list.filter(({ run_id }) => run_id === stage.run_id)).toMatchObject([
    { tool: 'tides', outcome: 'refused', problem: 'rule_refused', rule: 'agents/keeper not-bonn', result_digest: null },
  ]);
  expect(JSON.stringify(items)).not.toContain('Bonn');
});

test('a version of a server whose rules fail their tests is refused', async () => {
  const config = (rule_tests: object[]) => ({
    transport: 'streamable-http',
    url: stage.upstream.url,
    rules,
    rule_tests,
  });
  const edit = async (version: string, tests: object[]) =>
    await stage.ada.client.call('registry.edit', {
      params: { kind: 'mcp-server', name: 'city' },
      body: { version, config: config(tests) as never },
    });
  const call = { tool: 'weather', args: { city: 'Chur' } };
  await expect(edit('1.1.0', [{ call, allows: true }])).rejects.toMatchObject({
    code: 'invalid',
    errors: [
      {
        pointer: '/config/rule_tests/0',
        message: 'this call of weather is refused by swiss, and the test wants it allowed',
      },
    ],
  });
  await edit('1.1.0', [{ call, refuses: 'swiss' }]);
  await expect(
    stage.ada.client.call('registry.edit', {
      params: { kind: 'mcp-server', name: 'city' },
      body: { version: '1.2.0', config: { ...config([]), rules: [{ ...rules[0], allow: 'arg.city' }] } as never },
    }),
  ).rejects.toMatchObject({ code: 'invalid', errors: [{ pointer: '/config/rules/0/allow' }] });
});

// The last one: the calls of the agent pause.
test('arguments that make a rule slow are refused', async () => {
  const refused = await stage.call('slow', { city: `${'a'.repeat(60)}!` });
  expect(refused).toMatchObject({ isError: true, code: 'rule_refused' });
  expect(refused.text).toContain('took more than 500 ms');
  expect(stage.upstream.called).toEqual([]);
});
