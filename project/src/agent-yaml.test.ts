import { describe, expect, test } from 'vitest';
import { agentYamlExample, parseAgentYaml } from './agent-yaml.ts';
import { applyEdits, type Finding } from './finding.ts';

const least = 'name: greeter\nversion: 1.0.0\nteam: ml\nframework: langgraph\n';
const findingsOf = (text: string): Finding[] => parseAgentYaml(text).findings;
const codesOf = (text: string): string[] => findingsOf(text).map(({ code }) => code);
/** The one finding about a value, and the file after its edit. */
const only = (text: string): Finding & { edited: string } => {
  const findings = findingsOf(text).filter(({ severity }) => severity !== 'notice');
  expect(findings).toHaveLength(1);
  const [finding] = findings;
  if (finding === undefined) throw new Error('no finding');
  return { ...finding, edited: applyEdits(text, [finding]) };
};

describe('a valid agent.yaml', () => {
  test('needs name, version, team and framework and nothing else', () => {
    expect(parseAgentYaml(least)).toEqual({
      config: { name: 'greeter', version: '1.0.0', team: 'ml', framework: 'langgraph' },
      findings: [],
    });
  });

  test('may hold every field of the table', () => {
    const { config, findings } = parseAgentYaml(agentYamlExample);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(config).toMatchObject({
      model: { temperature: 0.2 },
      subagents: [{ ref: 'agents/translator' }],
      deploy: { env_vars: { GREETING: 'Hello' } },
    });
  });

  test('writes a reference as text or as a map, and the config holds the map', () => {
    expect(parseAgentYaml(`${least}tools: [tools/a, {ref: tools/b}]\n`).config?.tools).toEqual([
      { ref: 'tools/a' },
      { ref: 'tools/b' },
    ]);
  });

  test.each(['kb/names', 'knowledge-bases/names'])('takes %s for a knowledge base', (ref) => {
    expect(parseAgentYaml(`${least}knowledge_bases: [{ref: ${ref}}]\n`).config?.knowledge_bases).toEqual([{ ref }]);
  });

  test('names prompts by keys that are no names of prompts of MCP servers', () => {
    const { config } = parseAgentYaml(`${least}prompts: {system: prompts/a@production, to_user-2: prompts/b@1.0.0}\n`);
    expect(config?.prompts).toEqual({
      system: { ref: 'prompts/a@production' },
      'to_user-2': { ref: 'prompts/b@1.0.0' },
    });
    for (const key of ['city__greet', 'Big', '-x', 'x-', 'a'.repeat(33)])
      expect(codesOf(`${least}prompts: {${key}: prompts/a}\n`)).toEqual(['invalid_value']);
  });

  test.each(['default', 'gateway', 'litellm'])('may name the gateway %s', (gateway) => {
    expect(parseAgentYaml(`${least}model: {gateway: ${gateway}}\n`).config?.model?.gateway).toBe(gateway);
  });

  test('reports every declared field without an effect', () => {
    const noticed = findingsOf(`${least}deploy: {region: eu-west-1}\n`).filter(({ severity }) => severity === 'notice');
    expect(noticed).toMatchObject([{ code: 'not_in_effect', pointer: '/deploy/region' }]);
  });

  test('with public visibility gets a notice that this means org', () => {
    expect(codesOf(`${least}access: {visibility: public}\n`)).toEqual(['public_means_org']);
  });
});

describe('a fault', () => {
  test.each([
    ['deploy: {env_vars: {OPENAI_API_KEY: sk-1}}', 21],
    ['deploy: {env_vars: {ANTHROPIC_BASE_URL: "https://x"}}', 21],
    ['deploy: {secrets: [OPENAI_API_KEY]}', 20],
    ['deploy: {secrets: [GEMINI_API_KEY]}', 20],
    ['deploy: {secrets: [GOOGLE_API_KEY]}', 20],
  ])('is a way past the model gateway: %s', (line, column) => {
    expect(only(`${least}${line}\n`)).toMatchObject({ code: 'model_access', severity: 'error', line: 5, column });
  });

  test.each([
    ['MISTRAL_API_KEY', 'svc model add <its name at the provider> --from-agent'],
    ['GEMINI_API_KEY', 'svc model add <its name at the provider> --from-agent'],
    ['COHERE_API_KEY', 'svc model add <name> --provider <name of your own> --base-url'],
  ])('has a command that takes the place of %s', (name, command) => {
    expect(only(`${least}deploy: {secrets: [${name}]}\n`).suggestion).toContain(command);
  });

  test.each([
    ['gpt-4o', 'claude-sonnet-4-5', 'is called in the format of Anthropic and `gpt-4o` in that of OpenAI'],
    ['claude-sonnet-4-5', 'o3-mini', 'is called in the format of OpenAI and `claude-sonnet-4-5` in that of Anthropic'],
  ])('is a fallback from %s to %s, in another format', (primary, fallback, sentence) => {
    const yaml = (second: string) => `${least}model: {primary: ${primary}, fallback: ${second}}\n`;
    expect(parseAgentYaml(yaml('fast')).config).toBeDefined();
    expect(only(yaml(fallback))).toMatchObject({
      code: 'model_format',
      severity: 'error',
      message: `\`${fallback}\` ${sentence}; a fallback keeps the format`,
      pointer: '/model/fallback',
    });
  });

  test.each([['us.anthropic.claude-sonnet-4-5-v1:0', 'Amazon Bedrock']])(
    'in the format of %s is not one: it may have an endpoint in the format of OpenAI, and a warning says so',
    (primary, named) => {
      const { config, findings } = parseAgentYaml(`${least}model: {primary: "${primary}"}\n`);
      expect(config).toBeDefined();
      expect(findings).toMatchObject([
        { code: 'model_format', severity: 'warning', message: expect.stringContaining(`model of ${named}`) as string },
      ]);
    },
  );

  test('never hides another: all faults are reported at once, in file order, with line and column', () => {
    const text =
      'name: My Agent\nversion: 1.10\nframework: langraph\nmodel:\n  maxTokens: 3\ndeploy:\n  volumes: [a]\n  scaling: {min: 3, max: 2}\n';
    expect(findingsOf(text).map(({ code, line, column, pointer }) => [code, line, column, pointer])).toEqual([
      ['missing_field', 1, 1, '/team'],
      ['invalid_value', 1, 7, '/name'],
      ['wrong_type', 2, 10, '/version'],
      ['invalid_value', 3, 12, '/framework'],
      ['unknown_field', 5, 3, '/model/maxTokens'],
      ['unknown_field', 7, 3, '/deploy/volumes'],
      ['invalid_value', 8, 26, '/deploy/scaling/max'],
    ]);
  });

  test.each([
    ['name: My Agent', 'name: my-agent'],
    ['version: 1.10', 'version: 1.10.0'],
    ['version: "v1.2.3"', 'version: 1.2.3'],
    ['framework: langraph', 'framework: langgraph'],
    ['tags: red', 'tags: [red]'],
    ['model: {maxTokens: 3}', 'model: {max_tokens: 3}'],
    ['model: {max_tokens: "5"}', 'model: {max_tokens: 5}'],
    ['deploy: {resources: {cpu: 1}}', 'deploy: {resources: {cpu: "1"}}'],
    ['deploy: {resources: {memory: 512}}', 'deploy: {resources: {memory: 512Mi}}'],
    ['deploy: {resources: {memory: 1gb}}', 'deploy: {resources: {memory: 1Gi}}'],
    ['deploy: {env_vars: {PORT: 8080}}', 'deploy: {env_vars: {PORT: "8080"}}'],
    ['access: {require_approval: no}', 'access: {require_approval: false}'],
    ['access: {require_approval: on}', 'access: {require_approval: true}'],
    ['access: {visibility: Team}', 'access: {visibility: team}'],
    ['descripton: x', 'description: x'],
  ])('%s becomes %s by its edit', (wrong, right) => {
    const field = /^\w+/.exec(wrong)?.[0];
    const text = `${least
      .split('\n')
      .filter((line) => !line.startsWith(`${field}:`))
      .join('\n')}${wrong}\n`;
    const { edited } = only(text);
    expect(edited).toBe(text.replace(wrong, right));
    expect(parseAgentYaml(edited).config).toBeDefined();
  });

  test('of a misplaced field names the right place', () => {
    expect(only(`${least}env_vars: {A: b}\n`).suggestion).toBe('It belongs under `deploy`.');
  });

  test('in a variable never shows its value', () => {
    expect(
      JSON.stringify({ ...only(`${least}deploy: {env_vars: {PIN: 94711}}\n`), edit: undefined, edited: undefined }),
    ).not.toContain('94711');
  });

  test.each([
    'name: Greeter',
    'name: 1greeter',
    'name: greeter-',
    `name: ${'a'.repeat(64)}`,
    'name: "a; rm -rf /"',
    'name: "-v"',
    'name: "a\\nb"',
    'name: "$IFS"',
    'version: "1.0"',
    'version: 1.0.0-rc1',
    'version: "1.0.0 --privileged"',
    'team: "team:ml"',
    'owner: "a@b.c, d@e.f"',
    'owner: "a@b.c\\r\\nBcc: d@e.f"',
    'owner: nobody',
    'tags: ["a b"]',
    'tags: ["<b>"]',
    'tags: [a, a]',
    'framework: autogen',
    'model: {temperature: 2.1}',
    'model: {temperature: .nan}',
    'model: {max_tokens: 0}',
    'model: {max_tokens: 1.5}',
    'model: {gateway: elsewhere}',
    'model: {fallback: gpt-4o}',
    'model: {primary: "a b"}',
    'tools: [kb/names]',
    'tools: [{ref: tools/x, name: y}]',
    'tools: [{name: x, type: shell}]',
    'tools: [tools/../x]',
    'subagents: [{ref: tools/x}]',
    'mcp_servers: [{ref: mcp/x, transport: telnet}]',
    'files: ["*/*"]',
    'files: [png]',
    'files: [Image/PNG]',
    'files: ["image/png; q=1"]',
    'files: [image/png, image/png]',
    `files: [${Array.from({ length: 21 }, (_, n) => `text/x${n}`).join(', ')}]`,
    'guardrails: [everything]',
    'guardrails: pii_detection, content_filter',
    'access: {visibility: world}',
    'access: {allowed_callers: ["user:a@b.c"]}',
    'access: {allowed_callers: [ml]}',
    'access: {require_approval: "true"}',
    'deploy: {cloud: "mars; reboot"}',
    'deploy: {region: "eu; reboot"}',
    'deploy: {runtime: "--privileged"}',
    'deploy: {scaling: {min: 3, max: 2}}',
    'deploy: {scaling: {target_cpu: 101}}',
    'deploy: {scaling: {target_concurrency: 0}}',
    'deploy: {resources: {cpu: "0"}}',
    'deploy: {resources: {cpu: "65"}}',
    'deploy: {resources: {memory: 1Mi}}',
    'deploy: {resources: {memory: lots}}',
    'deploy: {concurrency: 0}',
    'deploy: {concurrency: 257}',
    'deploy: {concurrency: 1.5}',
    'deploy: {secrets: ["a b"]}',
    'deploy: {secrets: [A], env_vars: {A: b}}',
    'deploy: {env_vars: {"A B": c}}',
    'deploy: {env_vars: {A: "\\0"}}',
    'deploy: {env_vars: {A: [b]}}',
    ...[
      '*',
      '*:443',
      '*.com:443',
      'api.x.com',
      'api.x.com:0',
      'api.x.com:65536',
      'https://api.x.com:443',
      'API.x.com:443',
    ].map((destination) => `deploy: {egress: ["${destination}"]}`),
    // Other spellings of 127.0.0.1.
    ...['127.1:80', '2130706433:80', '0x7f000001:80', '0177.0.0.1:80', '[::1]:80', 'localhost.:80', 'a@b.c:80'].map(
      (destination) => `deploy: {egress: ["${destination}"]}`,
    ),
    'deploy: {egress: ["a.b:1", "a.b:1"]}',
    'deploy: []',
  ])('refuses %s', (wrong) => {
    const field = /^\w+/.exec(wrong)?.[0];
    const text = `${least
      .split('\n')
      .filter((line) => !line.startsWith(`${field}:`))
      .join('\n')}${wrong}\n`;
    const { config, findings } = parseAgentYaml(text);
    expect(config).toBeUndefined();
    expect(findings.filter(({ severity }) => severity === 'error').map(({ pointer }) => pointer.split('/')[1])).toEqual(
      [field],
    );
  });

  test.each([
    'volumes',
    'privileged',
    'cap_add',
    'network_mode',
    'devices',
    'security_opt',
    'command',
    'image',
    'ports',
  ])('deploy.%s is not a field', (key) => {
    expect(only(`${least}deploy: {${key}: true}\n`)).toMatchObject({
      code: 'unknown_field',
      pointer: `/deploy/${key}`,
    });
  });

  test.each([
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'PATH',
    'PYTHONSTARTUP',
    'PYTHONPATH',
    'DOCKER_HOST',
    'SVC_GATEWAY_KEY',
    'svc_x',
    'BASH_ENV',
  ])('the variable %s is reserved', (name) => {
    expect(only(`${least}deploy: {env_vars: {${name}: x}}\n`)).toMatchObject({
      code: 'reserved_name',
      pointer: `/deploy/env_vars/${name}`,
    });
  });
});

describe('a trap of YAML', () => {
  test.each([
    ['yaml_duplicate_key', `${least}name: other\n`, 5],
    ['yaml_duplicate_key', `${least}deploy: {env_vars: {A: b, A: c}}\n`, 5],
    ['yaml_alias', `${least}tags: &a [x]\ndeploy: {secrets: *a}\n`, 6],
    ['yaml_merge_key', `${least}deploy:\n  <<: {cloud: local}\n`, 6],
    ['yaml_tag', `${least}description: !!js/function "function () {}"\n`, 5],
    ['yaml_tag', `${least}description: !!python/object:os.system x\n`, 5],
    ['yaml_tag', `${least}deploy: !!set {cloud}\n`, 5],
    ['yaml_multiple_documents', `${least}---\n${least}`, 5],
    ['yaml_directive', `%YAML 1.1\n---\n${least}`, 1],
    ['yaml_forbidden_key', `${least}__proto__: {admin: true}\n`, 5],
    ['yaml_forbidden_key', `${least}deploy: {env_vars: {"__proto__": x}}\n`, 5],
    ['yaml_key_not_text', `${least}deploy: {env_vars: {1: x}}\n`, 5],
    ['yaml_key_not_text', `${least}? [a]\n: b\n`, 5],
    ['yaml_tab', `${least}deploy:\n\tcloud: local\n`, 6],
    ['yaml_syntax', `${least}description: "open\n`, 6],
    ['yaml_not_text', 'n\u0000a\u0000m\u0000e\u0000', 1],
    ['yaml_not_text', `${least}description: \ud800\n`, 5],
    ['yaml_too_deep', `${least}tags: ${'['.repeat(20_000)}`, 5],
    ['yaml_too_deep', '- '.repeat(20_000), 1],
    ['yaml_too_deep', Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'), 33],
    ['yaml_too_deep', 'a: 1\n'.repeat(20_000), undefined],
    ['yaml_too_large', `description: ${'x'.repeat(10_000_000)}`, 1],
  ])('is %s', (code, text, line) => {
    const { config, findings } = parseAgentYaml(text);
    expect(config).toBeUndefined();
    expect(findings[0]).toMatchObject({ code, severity: 'error', ...(line === undefined ? {} : { line }) });
  });

  test('with a tab is corrected by its edit', () => {
    const text = `${least}deploy:\n\tcloud: local\n`;
    expect(parseAgentYaml(applyEdits(text, findingsOf(text))).config?.deploy?.cloud).toBe('local');
  });

  test('that is not read is reported once, without a second finding for a missing value', () => {
    expect(codesOf(`name: &a greeter\nversion: 1.0.0\nteam: *a\nframework: langgraph\n`)).toEqual(['yaml_alias']);
  });

  test.each(['no', 'on', 'off', 'yes', 'y'])('the word %s is text in a text field', (word) => {
    expect(parseAgentYaml(`${least}deploy: {env_vars: {DEBUG: ${word}}}\n`).config?.deploy?.env_vars).toEqual({
      DEBUG: word,
    });
  });

  test('a byte order mark is a warning with an edit', () => {
    const text = `\uFEFF${least}`;
    expect(only(text)).toMatchObject({ code: 'yaml_byte_order_mark', severity: 'warning', edited: least });
    expect(parseAgentYaml(text).config?.name).toBe('greeter');
  });

  test('a number with a leading zero is read as decimal, with a warning', () => {
    const text = `${least}deploy: {scaling: {max: 010}}\n`;
    expect(parseAgentYaml(text).config?.deploy?.scaling?.max).toBe(10);
    expect(only(text)).toMatchObject({
      code: 'yaml_number_form',
      severity: 'warning',
      edited: `${least}deploy: {scaling: {max: 10}}\n`,
    });
  });

  test.each(['', '# nothing\n', 'null', '---\n', '\uFEFF'])('an empty file (%j) is reported as empty', (text) => {
    expect(codesOf(text)).toContain('yaml_empty');
  });

  test.each(['[]', 'greeter', '5', '- name: x'])('a file that is no map (%s) is refused', (text) => {
    expect(findingsOf(text)[0]).toMatchObject({ code: 'wrong_type', severity: 'error' });
  });

  test('keys named like members of every object are unknown fields and change nothing', () => {
    expect(codesOf(`${least}constructor: {prototype: {admin: true}}\ntoString: x\n`)).toEqual([
      'unknown_field',
      'unknown_field',
    ]);
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined(); // any key may be asked of a plain object
  });

  test('a file full of faults gets a report of a hundred', () => {
    const findings = findingsOf(Array.from({ length: 1000 }, (_, index) => `k${index}: 1`).join('\n'));
    expect(findings).toHaveLength(101);
    expect(findings.at(-1)).toMatchObject({ code: 'more_findings', severity: 'error' });
  });
});
