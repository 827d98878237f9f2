import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assetConfigJsonSchema } from './asset-config.ts';
import { applyEdits, type Finding } from './finding.ts';
import {
  orchestrationFieldsInEffect,
  orchestrationNotInEffect,
  orchestrationYamlExample,
  parseOrchestrationYaml,
  type Condition,
  type OrchestrationConfig,
  type OrchestrationMember,
} from './orchestration-yaml.ts';
import { fieldPaths } from '@gantry/contract/formats/json-schema.ts';

const least = 'name: support\nversion: 1.0.0\nteam: ml\n';
const withStrategy = (strategy: string, rest: string): string => `${least}strategy: ${strategy}\n${rest}\n`;
const inSequence = (rest = ''): string => withStrategy('sequential', `agents: {a: {ref: agents/a}}\n${rest}`);
const members = (...names: string[]): string => names.map((name) => `${name}: {ref: agents/${name}}`).join(', ');
const route = (routes: string, more = ''): string =>
  withStrategy('router', `agents: {desk: {ref: agents/desk, routes: [${routes}]}, ${members('b', 'c')}}\n${more}`);

const findingsOf = (text: string): Finding[] => parseOrchestrationYaml(text).findings;
const sentencesOf = (text: string): string[] =>
  findingsOf(text).map(({ line, column, message, suggestion }) =>
    [`${line}:${column}`, message, ...(suggestion === undefined ? [] : [suggestion])].join(' '),
  );
const configOf = (text: string): OrchestrationConfig => {
  const { config, findings } = parseOrchestrationYaml(text);
  if (config === undefined) throw new Error(JSON.stringify(findings));
  return config;
};

describe('a valid orchestration.yaml', () => {
  test('needs name, version, team, strategy and one member', () => {
    expect(parseOrchestrationYaml(inSequence())).toEqual({
      config: {
        name: 'support',
        version: '1.0.0',
        team: 'ml',
        strategy: 'sequential',
        agents: [{ name: 'a', ref: 'agents/a' }],
      },
      findings: [],
    });
  });

  test('has its members as a list in the order of the file, and the list is read like the map', () => {
    const config = configOf(withStrategy('parallel', `agents: {${members('z', 'b10', 'b9', 'a')}}`));
    expect(config.agents.map(({ name }) => name)).toEqual(['z', 'b10', 'b9', 'a']);
    expect(configOf(JSON.stringify(config))).toEqual(config);
  });

  test('may hold every field', () => {
    const { config, findings } = parseOrchestrationYaml(orchestrationYamlExample);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    const billing: OrchestrationMember = {
      name: 'billing',
      ref: 'agents/billing@1.2.0',
      fallback: 'clerk',
      timeout_seconds: 30,
      retry: true,
    };
    const conditions: Condition[] = [
      'invoice',
      { contains: 'default' },
      { regex: '(?i)refund|money back' },
      { equals: 'gold', at: '/customer/plan' },
      'default',
    ];
    expect(config?.agents[1]).toEqual(billing);
    expect(config?.agents[0]?.routes?.map(({ condition }) => condition)).toEqual(conditions);
  });

  test.each(['supervisor', 'hierarchical'])('may write the strategy supervisor as %s', (written) => {
    const text = withStrategy(
      written,
      `agents: {${members('lead', 'a')}}\nsupervisor_config: {supervisor_agent: lead}`,
    );
    expect(configOf(text).strategy).toBe('supervisor');
  });

  test('may have routes at several members, also to themselves', () => {
    const text = withStrategy(
      'router',
      'agents: {a: {ref: agents/a, routes: [{condition: x, target: a}]}, b: {ref: agents/b, routes: [{condition: default, target: b}]}}',
    );
    expect(findingsOf(text)).toEqual([]);
  });

  test.each([
    ['fan_out_fan_in', 'merge_agent'],
    ['supervisor', 'supervisor_agent'],
  ])('with %s has no fallback to its %s, which is told', (strategy, field) => {
    const agents = 'agents: {lead: {ref: agents/l, fallback: lead}, a: {ref: agents/a, fallback: lead}}';
    const findings = findingsOf(withStrategy(strategy, `${agents}\nsupervisor_config: {${field}: lead}`));
    expect(findings.map(({ severity, pointer, message }) => [severity, pointer, message])).toEqual(
      ['lead', 'a'].map((name) => [
        'notice',
        `/agents/${name}/fallback`,
        `\`fallback\` has no effect here: it is the \`${field}\`, which is never a worker`,
      ]),
    );
  });

  test('may have the same agent under two local names, and null as the value of a condition', () => {
    const text = route('{condition: {equals: null, at: /plan}, target: b}').replace('agents/c', 'agents/b');
    expect(configOf(text).agents.map(({ ref }) => ref)).toEqual(['agents/desk', 'agents/b', 'agents/b']);
  });

  test('reports each declared field without an effect at its place', () => {
    const text = inSequence(
      'shared_state: {a: 1}\nsupervisor_config: {max_iterations: 2}\ndeploy: {target: aws, resources: {cpu: "1"}}',
    ).replace('agents/a}', 'agents/a, routes: [{condition: x, target: a}]}');
    expect(sentencesOf(text)).toEqual([
      '5:29 `routes` has no effect with `strategy: sequential`; `router` reads it',
      '6:1 `shared_state` is not in effect: Members get their input, and share no other state.',
      '7:21 `max_iterations` has no effect with `strategy: sequential`; `supervisor` reads it',
      '8:35 `deploy.resources.cpu` is not in effect: An orchestration has no container of its own.',
    ]);
    const config = configOf(text);
    expect(orchestrationNotInEffect(config).map(({ field }) => field)).toEqual([
      'shared_state',
      'deploy.resources.cpu',
    ]);
  });
});

test('a router without `default` has a notice, and one with a classifier has none', () => {
  const open = route('{condition: x, target: b}');
  expect(findingsOf(open)).toMatchObject([{ code: 'no_default_route', severity: 'notice', line: 4 }]);
  expect(findingsOf(route('{condition: x, target: b}', 'supervisor_config: {classifier: c}'))).toEqual([]);
  expect(findingsOf(route('{condition: default, target: b}'))).toEqual([]);
});

describe('a fault', () => {
  test.each([
    [
      'stategy: parallel',
      '1:1 `strategy` is missing',
      '4:1 `stategy` is not a field of orchestration.yaml Did you mean',
    ],
    ['strategy: swarm', '4:11 `strategy` must be sequential, parallel, fan_out_fan_in, router, supervisor or hier'],
    ['strategy: paralel', '4:11 `strategy` must be', 'Did you mean `parallel`?'],
  ])('of the strategy is told with its place: %s', (line, ...said) => {
    const told = sentencesOf(`${least}${line}\nagents: {a: {ref: agents/a}}\n`).join('\n');
    for (const sentence of said) expect(told).toContain(sentence);
  });

  test.each([
    // The form of a member
    ['agents: {}', '5:9 `agents` needs at least one member'],
    ['agents: []', '5:9 `agents` needs at least one member'],
    ['agents: agents/a', '5:9 `agents` must be a map or a list'],
    [`agents: {${members(...Array.from({ length: 51 }, (_, n) => `a${n}`))}}`, '5:9 `agents` has more than 50 members'],
    ['agents: {Big: {ref: agents/a}}', '5:10 `agents.Big` must be lower-case letters'],
    ['agents: {"1": {ref: agents/a}}', '5:10 `agents.1` must be lower-case letters'],
    ['agents: {a: {reff: agents/a}}', '`agents.a.reff` is not a field of orchestration.yaml Did you mean `ref`?'],
    ['agents: {a: {}}', '5:10 `agents.a.ref` is missing Add it. The asset that it calls: agents/<name> or'],
    [
      'agents: {a: {ref: tools/a}}',
      '5:19 `agents.a.ref` must be agents/<name> or orchestrations/<name>, each with or without @<version>, not',
    ],
    ['agents: {a: {ref: agents/a@1}}', '5:19 `agents.a.ref` must be agents/<name> or'],
    ['agents: {a: {ref: agents/a, input: text}}', '5:36 `agents.a.input` must be a JSON pointer'],
    ['agents: {a: {ref: agents/a, output: /a~2}}', '5:37 `agents.a.output` must be a JSON pointer'],
    ['agents: {a: {ref: agents/a, retry: yes}}', '5:36 `agents.a.retry` must be true or false'],
    ['agents: [{ref: agents/a}]', '`agents[0].name` is missing'],
    ['agents: [{name: a, ref: agents/a}, {name: a, ref: agents/b}]', '5:43 `agents[1].name` is in the list twice'],
    // Names of members
    [
      'agents: {a: {ref: agents/a, fallback: clark}, clerk: {ref: agents/b}}',
      '5:39 `agents.a.fallback` is `clark`, which is not a member of `agents`; did you mean `clerk`?',
    ],
    ['agents: {a: {ref: agents/a, fallback: a}}', '5:39 `agents.a.fallback` is the member itself'],
    [
      'agents: {x: {ref: agents/x, fallback: a}, a: {ref: agents/a, fallback: b}, b: {ref: agents/b, fallback: a}}',
      '5:72 `agents.a.fallback` makes a cycle of fallbacks: a → b → a',
    ],
    ...['supervisor_agent', 'merge_agent', 'classifier'].map((field) => [
      `agents: {a: {ref: agents/a}}\nsupervisor_config: {${field}: zed}`,
      `\`supervisor_config.${field}\` is \`zed\`, which is not a member of \`agents\``,
    ]),
    // Limits
    ['agents: {a: {ref: agents/a}}\nsupervisor_config: {max_iterations: 11}', 'must be at most 10'],
    ['agents: {a: {ref: agents/a}}\nsupervisor_config: {max_iterations: 0}', 'must be at least 1'],
    ['agents: {a: {ref: agents/a}}\ntimeout_seconds: 0', '6:18 `timeout_seconds` must be at least 1'],
    [
      'agents: {a: {ref: agents/a}}\nbudget_usd: 0.5',
      '6:13 `budget_usd` must be text, and 0.5 is a number Write "0.5"',
    ],
    ['agents: {a: {ref: agents/a}}\ndeploy: {volumes: [a]}', '`deploy.volumes` is not a field'],
    // One strategy
    [
      'agents: {a: {ref: agents/a}}\non_error: continue',
      '6:11 `on_error` cannot be `continue` with `strategy: sequential`, which needs every output',
    ],
  ])('of a sequence is told with its place: %s', (rest, said) => {
    const text = withStrategy('sequential', rest);
    expect(sentencesOf(text).join('\n')).toContain(said);
    expect(parseOrchestrationYaml(text).config).toBeUndefined();
  });

  test.each([
    ['', '`supervisor_config.merge_agent` is missing; `strategy: fan_out_fan_in` needs it'],
    ['supervisor_config: {merge_agent: a}', '5:9 `agents` needs another member: `a` is the `merge_agent`'],
  ])('of a fan-out is told: %s', (rest, said) => {
    const text = withStrategy('fan_out_fan_in', `agents: {a: {ref: agents/a}}\n${rest}`);
    expect(sentencesOf(text).join('\n')).toContain(said);
  });

  test('is a supervisor that the file does not name, whatever its local name', () => {
    const text = withStrategy('supervisor', `agents: {${members('supervisor', 'a')}}`);
    expect(sentencesOf(text).join()).toContain(
      '`supervisor_config.supervisor_agent` is missing; `strategy: supervisor`',
    );
  });

  test.each([
    ['{condition: x, target: z}', '5:67 `agents.desk.routes[0].target` is `z`, which is not a member of `agents`'],
    [
      '{condition: default, target: b}, {condition: default, target: c}',
      'routes[1].condition` is the second `default`',
    ],
    ['{condition: x, target: b}, {condition: x, target: b}', 'routes[1]` is in the list twice'],
    [
      '{condition: {regex: "(?=a)"}, target: b}',
      'condition.regex` is not a pattern of RE2: invalid or unsupported Perl',
    ],
    ['{condition: {regex: "a{1000}a{1000}a{1000}a{1000}a{1000}a{1000}"}, target: b}', 'makes the patterns too large'],
    ['{condition: {}, target: b}', 'condition` must have one of `contains`, `regex` and `equals`'],
    ['{condition: {contains: a, regex: a}, target: b}', 'condition` must have one of `contains`, `regex` and `equals`'],
    ['{condition: {equals: 1}, target: b}', 'condition.at` is missing; `equals` needs it'],
    ['{condition: {contains: a, at: /x}, target: b}', 'condition.at` belongs to `equals`'],
    ['{condition: {regx: a}, target: b}', 'condition.regx` is not a field of orchestration.yaml Did you mean `regex`?'],
    ['{condition: 5, target: b}', 'condition` must be text or a map'],
    ['{target: b}', 'routes[0].condition` is missing'],
    ['', '`agents.desk.routes` must be at least 1 entries long'],
  ])('of a route is told: [%s]', (routes, said) => {
    expect(configOf(route('{condition: x, target: b}, {condition: default, target: c}')).strategy).toBe('router');
    expect(sentencesOf(route(routes)).join('\n')).toContain(said);
    expect(parseOrchestrationYaml(route(routes)).config).toBeUndefined();
  });

  test('is a router without routes, or with a `default` in two of its lists', () => {
    expect(sentencesOf(withStrategy('router', `agents: {${members('a', 'b')}}`))).toEqual([
      '5:9 `agents` has no member with `routes`; `strategy: router` needs one',
    ]);
    const second = route('{condition: default, target: b}').replace(
      'agents/c}',
      'agents/c, routes: [{condition: default, target: c}]}',
    );
    expect(sentencesOf(second)).toEqual(['5:139 `agents.c.routes[0].condition` is the second `default`']);
  });

  test('of an empty or unread value is told once', () => {
    expect(findingsOf('').map(({ code }) => code)).toEqual(['yaml_empty']);
    expect(findingsOf(inSequence('on_error: &a fail\nteam2: *a')).map(({ code }) => code)).toEqual(['yaml_alias']);
  });
});

describe('for any text', () => {
  const parts = [
    'agents',
    'routes',
    'condition',
    'regex',
    'router',
    'a',
    'ref',
    'agents/a',
    '(',
    '*a',
    '&a ',
    '\n',
    '  ',
  ];
  parts.push(': ', '- ', '[', ']', '{', '}', '"', ',', '#', '!!x', '1', '__proto__');
  const tail = fc
    .array(fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 4 })), { maxLength: 60 })
    .map((chosen) => chosen.join(''));

  test('parsing never throws, gives a config exactly when there is no error, and reads its own result', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 200 }),
          tail,
          tail.map((text) => least + text),
          tail.map((text) => inSequence() + text),
          tail.map((text) => route(`{condition: ${text}, target: b}`)),
        ),
        (text) => {
          const { config, findings } = parseOrchestrationYaml(text);
          expect(config === undefined).toBe(findings.some(({ severity }) => severity === 'error'));
          const isInside = ({ line, column, edit }: Finding): boolean =>
            line > 0 && column > 0 && (edit === undefined || (edit.start <= edit.end && edit.end <= text.length));
          expect(findings.filter((finding) => !isInside(finding))).toEqual([]);
          applyEdits(text, findings);
          if (config !== undefined) expect(configOf(JSON.stringify(config))).toEqual(config);
        },
      ),
      { numRuns: 400 },
    );
  });

  test('hostile text within the limits costs little', () => {
    const many = (count: number, each: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => each(n)).join('');
    const hostile = {
      members: withStrategy('sequential', `agents: {${many(700, (n) => `a${n}: {ref: agents/a}, `)}}`),
      cycles: withStrategy(
        'parallel',
        `agents: {${many(49, (n) => `a${n}: {ref: agents/a, fallback: a${(n + 1) % 49}}, `)}}`,
      ),
      patterns: route(many(50, (n) => `{condition: {regex: "${'a{1000}'.repeat(27)}${n}"}, target: b}, `)),
      nested: route(`{condition: {equals: ${'['.repeat(25)}${']'.repeat(25)}, at: /a}, target: z}`),
      pointer: inSequence().replace('agents/a}', `agents/a, input: "${'/~'.repeat(60_000)}"}`),
    };
    for (const [name, text] of Object.entries(hostile)) {
      const milliseconds = () => {
        const started = performance.now();
        parseOrchestrationYaml(text);
        return performance.now() - started;
      };
      const fastest = Math.min(milliseconds(), milliseconds(), milliseconds());
      expect({ name, isQuick: fastest < 400 }).toEqual({ name, isQuick: true });
    }
  });
});

describe('the schema', () => {
  const fields = fieldPaths(assetConfigJsonSchema('orchestration'))
    .map((path) => path.join('.'))
    .filter((field, _, all) => !all.some((other) => other.startsWith(`${field}.`)));

  test('describes every field, requires the five, and every field has a sentence about its effect', () => {
    const silent = Object.entries(assetConfigJsonSchema('orchestration').properties ?? {}).filter(
      ([, below]) => typeof below === 'object' && below.description === undefined,
    );
    expect(silent).toEqual([]);
    expect(assetConfigJsonSchema('orchestration')).toMatchObject({
      required: ['name', 'version', 'team', 'strategy', 'agents'],
    });
    const told = [...new Set(orchestrationFieldsInEffect.map(({ field }) => field))];
    expect(told.filter((field) => !field.startsWith('agents.'))).toEqual(fields);
    expect(told.filter((field) => field.startsWith('agents.'))).toEqual(
      ['ref', 'routes', 'fallback', 'input', 'output', 'timeout_seconds', 'retry'].map((field) => `agents.*.${field}`),
    );
  });
});
