import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { parseAgentYaml } from '@gantry/project/agent-yaml.ts';
import { catalogueName } from '@gantry/project/model-providers.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freshHome, runSvc } from '../testing/run-svc.ts';
import { data, list, problem, scriptService, type ScriptedService } from '../testing/scripted-service.ts';
import { findLocalModels } from './find-local.ts';

const shown = {
  name: 'gpt-4o',
  version: '1.0.0',
  team: 'ml',
  price: null,
  own_price: null,
  table_price: null,
  type: 'chat',
  kind: 'openai',
  max_output_tokens: 16_384,
  max_output_from: 'table',
  context_window_tokens: 128_000,
  former_price: null,
  state: 'untested',
  aliases: [],
  fallbacks: [],
  upstreams: [
    {
      base_url: 'https://api.openai.com/v1',
      secret: 'OPENAI_API_KEY',
      weight: 1,
      priority: 1,
      fault: null,
      health: null,
    },
  ],
};
const secrets = 'GET /api/v1/secrets';
const create = 'POST /api/v1/registry/model';
const stored = {
  [create]: data({}, 201),
  'PUT /api/v1/secrets': data({}),
  'GET /api/v1/models/gpt-4o': data(shown),
};

const at = (service: ScriptedService, more: object = {}) => ({
  home: freshHome(),
  env: { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' },
  ...more,
});
const add = ['model', 'add', 'gpt-4o', '--provider', 'openai', '--team', 'ml'];
const changes = (service: ScriptedService) =>
  service.asked
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path: at_path, body }) => [
      `${method} ${at_path}`,
      body === '' ? {} : (JSON.parse(body) as object),
    ]);

test('a model is added with its credential from stdin, which becomes a secret of the team', async () => {
  await using service = await scriptService({ ...stored, [secrets]: list([]) });
  const { exit, stdout, stderr } = await runSvc(add, at(service, { stdin: 'sk-a-credential\n' }));
  expect({ exit, stderr }).toMatchObject({ exit: 0 });
  expect(changes(service)).toEqual([
    [
      create,
      {
        name: 'gpt-4o',
        team: 'ml',
        config: { provider: 'openai', model: 'gpt-4o', type: 'chat', secret: 'OPENAI_API_KEY' },
      },
    ],
    ['PUT /api/v1/secrets', { team: 'ml', name: 'OPENAI_API_KEY', value: 'sk-a-credential' }],
  ]);
  expect(stdout + stderr).not.toContain('sk-a-credential');
  expect(stdout).toContain('svc model price set gpt-4o');
});

test('a secret that the team has is used, and nothing is asked', async () => {
  await using service = await scriptService({ ...stored, [secrets]: list([{ name: 'OPENAI_API_KEY' }]) });
  const { exit, stdout } = await runSvc([...add, '--max-output', '8192', '--context', '128000'], at(service));
  expect([exit, stdout]).toEqual([0, expect.stringContaining('with the secret OPENAI_API_KEY that team:ml has')]);
  const config = { max_output_tokens: 8192, context_window_tokens: 128_000 };
  expect(changes(service)).toMatchObject([[create, { config }]]);
});

test('without a credential nothing is added, and the refusal says how to give it', async () => {
  await using service = await scriptService({ ...stored, [secrets]: list([]) });
  const { exit, stderr } = await runSvc(add, at(service));
  expect([exit, stderr]).toEqual([2, expect.stringContaining('svc model add gpt-4o --provider openai < file')]);
  expect(changes(service)).toEqual([]);
});

test.each([['bedrock', 'Amazon Bedrock']])(
  'the provider %s is refused by name before any request',
  async (provider, named) => {
    await using service = await scriptService(stored);
    const { exit, stderr } = await runSvc(['model', 'add', 'x', '--provider', provider, '--team', 'ml'], at(service));
    expect(exit).not.toBe(0);
    expect(stderr).toContain(`names ${named}, whose own format the gateway does not speak yet`);
    expect(service.asked).toEqual([]);
  },
);

describe('--from-agent', () => {
  const key = 'sk-of-the-project';
  const yaml = (more: string) =>
    `# ours\nname: support\nversion: 1.0.0\nteam: ml\nframework: langgraph\nmodel: {primary: gpt-4o}\n${more}`;
  const take = async (service: ScriptedService, files: Record<string, string>, ...more: string[]) => {
    const cwd = freshHome();
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(cwd, file), text);
    const ran = await runSvc(['model', 'add', '--from-agent', 'support', ...more], at(service, { cwd }));
    expect(ran.stdout + ran.stderr).not.toContain(key);
    return { ...ran, cwd };
  };
  const stored_value = { team: 'ml', name: 'OPENAI_API_KEY', value: key };

  test('takes the key out of agent.yaml, with its address, and the project is valid then', async () => {
    await using service = await scriptService({ ...stored, [secrets]: list([]) });
    const access = `  env_vars:\n    TONE: kind # stays\n    OPENAI_API_KEY: ${key}\n    OPENAI_BASE_URL: https://eu.example.com/v1\n`;
    const { exit, stdout, cwd } = await take(service, { 'agent.yaml': yaml(`deploy:\n${access}`) });
    expect([exit, stdout]).toEqual([0, expect.stringContaining('no longer names OPENAI_API_KEY, OPENAI_BASE_URL')]);
    const config = {
      provider: 'openai',
      model: 'gpt-4o',
      type: 'chat',
      base_url: 'https://eu.example.com/v1',
      secret: 'OPENAI_API_KEY',
    };
    expect(changes(service)).toEqual([
      [create, { name: 'gpt-4o', team: 'ml', config }],
      ['PUT /api/v1/secrets', stored_value],
    ]);
    const left = readFileSync(path.join(cwd, 'agent.yaml'), 'utf8');
    expect(left).toContain('TONE: kind # stays');
    expect(parseAgentYaml(left)).toMatchObject({ findings: [], config: { deploy: { env_vars: { TONE: 'kind' } } } });
  });

  test('takes the key out of .env', async () => {
    await using service = await scriptService({ ...stored, [secrets]: list([]) });
    const { exit } = await take(service, { 'agent.yaml': yaml(''), '.env': `export OPENAI_API_KEY="${key}"\n` });
    expect([exit, changes(service).at(-1)]).toEqual([0, ['PUT /api/v1/secrets', stored_value]]);
  });

  test.each(['GEMINI_API_KEY', 'GOOGLE_API_KEY'])(
    'takes %s over for a model of Gemini, under the name that its provider gives, and asks for a key that is only named',
    async (variable) => {
      await using service = await scriptService({
        [create]: data({}, 201),
        'PUT /api/v1/secrets': data({}),
        'GET /api/v1/models/gemini-2-5-flash': data({ ...shown, name: 'gemini-2-5-flash', kind: 'gemini' }),
        [secrets]: list([]),
      });
      const cwd = freshHome();
      const named = `name: support\nversion: 1.0.0\nteam: ml\nframework: langgraph\ndeploy:\n  secrets: [${variable}, OTHER]\n`;
      writeFileSync(path.join(cwd, 'agent.yaml'), named);
      const [fault] = parseAgentYaml(named).findings;
      expect(fault?.suggestion).toContain('svc model add <its name at the provider> --from-agent support');
      const words = ['model', 'add', 'gemini-2.5-flash', '--from-agent', 'support'];
      const { exit, stdout, stderr } = await runSvc(words, at(service, { cwd, stdin: `${key}\n` }));
      expect({ exit, stderr }).toMatchObject({ exit: 0 });
      expect(stdout + stderr).not.toContain(key);
      const config = { provider: 'gemini', model: 'gemini-2.5-flash', type: 'chat', secret: variable };
      expect(changes(service)).toEqual([
        [create, { name: 'gemini-2-5-flash', team: 'ml', config }],
        ['PUT /api/v1/secrets', { team: 'ml', name: variable, value: key }],
      ]);
      expect(parseAgentYaml(readFileSync(path.join(cwd, 'agent.yaml'), 'utf8')).findings).toEqual([]);
    },
  );

  test('moves the secret of the agent to its team, where no project is', async () => {
    const own = { id: '00000000-0000-4000-8000-000000000001', name: 'OPENAI_API_KEY' };
    let moved = false;
    await using service = await scriptService({
      ...stored,
      'GET /api/v1/registry/agent/support': data({ team: 'ml' }),
      [secrets]: (response, asked) =>
        list(moved || asked.query.includes('agent=support') ? [own] : [])(response, asked),
      [`POST /api/v1/secrets/${own.id}/move`]: (response, asked) => {
        moved = true;
        data({})(response, asked);
      },
    });
    const { exit } = await take(service, {}, 'gpt-4o');
    expect([exit, changes(service).map(([what]) => what)]).toEqual([
      0,
      [`POST /api/v1/secrets/${own.id}/move`, create],
    ]);
  });

  test('asks which of several keys, and says where it looked for one', async () => {
    await using service = await scriptService({ ...stored, [secrets]: list([]) });
    const two = { '.env': 'GROQ_API_KEY=a\nXAI_API_KEY=b\n', 'agent.yaml': yaml('') };
    const several = await take(service, two);
    expect([several.exit, several.stderr]).toEqual([2, expect.stringContaining('has keys of groq and xai')]);
    const none = await take(service, { 'agent.yaml': yaml('') });
    expect([none.exit, none.stderr]).toEqual([2, expect.stringContaining('No key of a provider was found')]);
    expect(changes(service)).toEqual([]);
  });

  test('says what to type when no model is named', async () => {
    await using service = await scriptService({ ...stored, [secrets]: list([]) });
    const nameless = {
      '.env': 'GROQ_API_KEY=a\n',
      'agent.yaml': 'name: support\nversion: 1.0.0\nteam: ml\nframework: langgraph\n',
    };
    const without = await take(service, nameless);
    expect([without.exit, without.stderr]).toEqual([
      2,
      expect.stringContaining('svc model add <model of groq> --from-agent support --provider groq'),
    ]);
    expect(changes(service)).toEqual([]);
  });
});

test('a file adds new models, changes others by a new version, and leaves equal ones unchanged', async () => {
  const same = { provider: 'acme', model: 'same', type: 'chat' };
  await using service = await scriptService({
    ...stored,
    'GET /api/v1/registry/model/new': problem(404, 'not_found', 'not here'),
    'GET /api/v1/registry/model/same': data({ config: same, latest_version: '1.0.0' }),
    'GET /api/v1/registry/model/other': data({ config: same, latest_version: '1.0.4' }),
    'PUT /api/v1/registry/model/other': data({}),
    ...Object.fromEntries(
      ['new', 'same', 'other'].map((name) => [`GET /api/v1/models/${name}`, data({ ...shown, name })]),
    ),
  });
  const home = freshHome();
  writeFileSync(
    path.join(home, 'models.yaml'),
    'models:\n  new: {provider: acme, model: new}\n  same: {provider: acme, model: same}\n  other: {provider: acme, model: changed}\n',
  );
  const { exit, stdout } = await runSvc(['model', 'add', '-f', 'models.yaml', '--team', 'ml'], {
    ...at(service),
    home,
  });
  expect(exit).toBe(0);
  expect(changes(service)).toEqual([
    [create, { name: 'new', team: 'ml', config: { provider: 'acme', model: 'new', type: 'chat' } }],
    ['PUT /api/v1/registry/model/other', { version: '1.0.5', config: { ...same, model: 'changed' } }],
  ]);
  expect(stdout).toMatch(
    /models\/new@1\.0\.0 is added[^]*models\/same@1\.0\.0 is unchanged[^]*models\/other@1\.0\.0 is changed/,
  );
});

test('a price of its own is a new version of the config, and its inverse is printed', async () => {
  const config = { provider: 'openai', model: 'gpt-4o', type: 'chat' };
  await using service = await scriptService({
    ...stored,
    'GET /api/v1/registry/model/gpt-4o': data({ name: 'gpt-4o', team: 'ml', config, latest_version: '1.0.0' }),
    'PUT /api/v1/registry/model/gpt-4o': data({}),
  });
  const { exit, stderr } = await runSvc(
    ['model', 'price', 'set', 'gpt-4o', '--input', '2', '--output', '8'],
    at(service),
  );
  expect([exit, stderr]).toEqual([0, expect.stringContaining('svc model price set gpt-4o --table')]);
  expect(changes(service)).toEqual([
    [
      'PUT /api/v1/registry/model/gpt-4o',
      { version: '1.0.1', config: { ...config, price_usd_per_million: { input: '2', output: '8' } } },
    ],
  ]);
  const wrong = await runSvc(['model', 'price', 'set', 'gpt-4o', '--input', '2,5'], at(service));
  expect([wrong.exit, wrong.stderr]).toEqual([1, expect.stringContaining('must be a decimal number as text')]);
});

test('a test that fails exits with 1 and prints its line', async () => {
  const failed = [
    { base_url: 'https://x', works: false, message: 'Nothing listens at x:443.', latency_ms: null, usd: null },
  ];
  await using service = await scriptService({ 'POST /api/v1/models/gpt-4o/test': data(failed) });
  const { exit, stdout } = await runSvc(['model', 'test', 'gpt-4o'], at(service));
  expect([exit, stdout]).toEqual([1, expect.stringContaining('gpt-4o: Nothing listens at x:443.')]);
});

test('servers of this machine are asked for their models; other programs at the ports have none', async () => {
  const serve = async (body: string) => {
    const server = createServer((request, response) => void response.end(request.url === '/v1/models' ? body : 'no'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`; // it listens on TCP
  };
  const base_url = await serve('{"object": "list", "data": [{"id": "llama3.2:latest"}, {"id": "qwen3:8b"}, {}]}');
  const found = await findLocalModels([
    { provider: 'ollama', base_url },
    { provider: 'vllm', base_url: await serve('<html>a page</html>') },
    { provider: 'lm-studio', base_url: 'http://127.0.0.1:1/v1' },
  ]);
  expect(found).toEqual([
    { provider: 'ollama', model: 'llama3.2:latest', base_url },
    { provider: 'ollama', model: 'qwen3:8b', base_url },
  ]);
  expect(found.map(({ model }) => catalogueName(model))).toEqual(['llama3-2', 'qwen3-8b']);
});
