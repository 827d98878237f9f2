import { describe, expect, test } from 'vitest';
import { assetConfigJsonSchema, parseAssetConfig } from './asset-config.ts';
import { configuredKinds, type ConfiguredKind } from '@gantry/contract/assets/asset-kinds.ts';
import { orchestrationYamlExample } from './orchestration-yaml.ts';
import { assetKinds } from '@gantry/contract/roles.ts';

const faults = (kind: ConfiguredKind, text: string) =>
  parseAssetConfig(kind, text, 'x.yaml').findings.map(({ pointer, message, suggestion }) =>
    [pointer, message, suggestion ?? ''].join(' '),
  );

/** The smallest and the largest config of each kind. */
const clusterYaml = `kind: kubernetes
address: https://k8s.example.com:6443
ca: |
  -----BEGIN CERTIFICATE-----
  MIIB
  -----END CERTIFICATE-----
namespace: agents
runtime_class: gvisor
registry: https://registry.example.com/agents
service_url: https://door.example.com
`;

const gcpYaml = `kind: gcp
address: projects/my-project/locations/europe-west1
service_account: agents@my-project.iam.gserviceaccount.com
registry: https://europe-west1-docker.pkg.dev/my-project/gantry/agents
service_url: https://door.example.com
`;

const subscription = '/subscriptions/00000000-0000-4000-8000-000000000001';
const azureYaml = `kind: azure
address: ${subscription}/resourceGroups/agents/providers/Microsoft.App/managedEnvironments/production
location: westeurope
identity: ${subscription}/resourceGroups/agents/providers/Microsoft.ManagedIdentity/userAssignedIdentities/agents-pull
workspace: 00000000-0000-4000-8000-000000000002
registry: https://gantryagents.azurecr.io/agents
service_url: https://door.example.com
`;

const awsYaml = `kind: aws
runtime: ecs-fargate
region: eu-west-1
cluster: agents
subnets: [subnet-0a1b2c3d, subnet-0a1b2c3d4e5f60718]
security_groups: [sg-0a1b2c3d]
execution_role_arn: arn:aws:iam::123456789012:role/gantry-execution
task_role_arn: arn:aws:iam::123456789012:role/agents/parrot
log_group: /gantry/agents
registry: https://123456789012.dkr.ecr.eu-west-1.amazonaws.com/gantry/agents
service_url: https://door.example.com
`;

const accepted: Record<ConfiguredKind, [least: string, most: string, ...others: string[]]> = {
  prompt: [
    'template: Be kind.',
    'messages:\n- {role: system, content: "Speak {{language}}."}\n- {role: user, content: "{{ question }}"}\nvariables:\n- {name: language, default: English}\n- {name: question, description: The question of the user}\n',
  ],
  tool: [
    '',
    'type: http\nurl: https://api.example.com/search?lang=en\nmethod: GET\ntimeout_seconds: 5\nsecret: SEARCH_KEY\nparameters: {type: object, properties: {query: {type: string}, token: {type: string}}, required: [query]}\nreturns: {type: array, items: {$ref: "#/$defs/hit"}, $defs: {hit: {type: object}}}\n',
  ],
  'memory-config': [
    '',
    'kind: summary\nmax_messages: 20\nmodel: models/small\nttl_seconds: 60\nscope: team\nstore: redis\nsecret: REDIS\n',
    'embedding: models/embed\nsearch: [text, "facts[*].text"]\n',
  ],
  'rag-index': [
    'embedding_model: models/embed\nknowledge_bases: [kb/handbook]\n',
    'embedding_model: {ref: models/embed}\nknowledge_bases: [knowledge-bases/handbook, {ref: kb/faq}]\nchunk_size: 500\nchunk_overlap: 50\ntop_k: 3\n',
  ],
  'knowledge-base': [
    '',
    'documents:\n- {url: https://example.com/a.pdf, title: A}\n- {text: Words.}\nlanguage: pt-BR\nsecret: WIKI\n',
  ],
  model: [
    'provider: acme\nmodel: acme/large-2\n',
    'provider: acme\nmodel: large\ntype: chat\ncontext_window_tokens: 200000\nmax_output_tokens: 8000\nprice_usd_per_million: {input: "2.50", cached_input: "0.25", cache_write: "3.125", output: "10"}\nbase_url: https://models.example.com/v1\nsecret: ACME\n',
    'provider: azure\nmodel: gpt-4o\nbase_url: https://acme.openai.azure.com/openai/deployments/gpt-4o\napi_version: 2024-10-21\nsecret: AZURE\naliases: [gpt-4o, "acme/4o"]\n',
    'provider: openai\nmodel: gpt-4o\nfallbacks: [small]\ntimeouts: {first_byte_seconds: 20}\nimage_max_tokens: 1500\nupstreams: [{secret: ONE, weight: 3}, {base_url: https://eu.example.com/v1, secret: TWO, priority: 2}]\n',
  ],
  'mcp-server': [
    'command: files-server',
    'package: pypi:mcp-server-time==2026.10.19\nargs: [--local-timezone, Europe/Zurich]\negress: ["api.example.com:443"]\nshare: call\n',
    'package: npm:@modelcontextprotocol/server-memory@2026.7.4\n',
    'transport: streamable-http\nurl: https://mcp.example.com/mcp\nsecret: MCP\ntools: [read_file, list_files]\n',
  ],
  orchestration: [
    'name: support\nversion: 1.0.0\nteam: ml\nstrategy: parallel\nagents: {a: {ref: agents/a}}\n',
    orchestrationYamlExample,
  ],
  skill: [
    'name: courtesy\ndescription: Greets people well.\n',
    'name: courtesy\ndescription: Greets people well.\nlicense: MIT\ncompatibility: Needs Python 3.11\nmetadata: {author: Ada, version: "1.2.0"}\nallowed-tools: Bash Read\n',
  ],
  target: [
    `kind: engine\naddress: ssh://deploy@gpu.example.com\nhost_fingerprint: SHA256:${'a'.repeat(43)}\nregistry: https://registry.example.com/agents\nservice_url: https://door.example.com\n`,
    `kind: engine\naddress: tcp://gpu.example.com:2376\nca: |\n  -----BEGIN CERTIFICATE-----\n  MIIB\n  -----END CERTIFICATE-----\nregistry: http://127.0.0.1:5000/team/agents\nservice_url: https://door.example.com/\n`,
    clusterYaml,
    awsYaml,
    gcpYaml,
    azureYaml,
  ],
};

test('every kind except agents has a schema', () => {
  expect([...configuredKinds, 'agent'].toSorted()).toEqual([...assetKinds].toSorted());
});

describe.each(configuredKinds)('the config of a %s', (kind) => {
  test.each(accepted[kind])('parses %j, and parses its own result again', (text) => {
    const { config, findings } = parseAssetConfig(kind, text, 'x.yaml');
    expect(findings).toEqual([]);
    expect(parseAssetConfig(kind, JSON.stringify(config), 'x.json')).toEqual({ config, findings: [] });
  });

  test('refuses an unknown field, and suggests the nearest one', () => {
    const [known = ''] = Object.keys(assetConfigJsonSchema(kind).properties ?? {});
    const typed = `${known}x`;
    expect(faults(kind, `${typed}: 1\n`).join()).toContain(`/${typed} \`${typed}\` is not a field of`);
    expect(faults(kind, `${typed}: 1\n`).join()).toContain(`Did you mean \`${known}\`?`);
  });

  test('refuses a secret in any text, naming its place and not its value', () => {
    for (const secret of [
      'sk-proj-abcdefghijklmnop',
      'ghp_abcdefghijklmnopqrst',
      'AKIAABCDEFGHIJKLMNOP',
      'Bearer abcdefghijklmnopqrstuvwx',
    ]) {
      const said = faults(kind, `${accepted[kind][1]}\nextra: ${JSON.stringify(`it is ${secret}`)}\n`).join();
      expect(said).toContain('/extra `extra` looks like a secret');
      expect(said).not.toContain(secret);
    }
  });

  test('cannot reach a prototype', () => {
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      const said = faults(kind, `${accepted[kind][1]}\n${key}: {polluted: true}\n`);
      expect(said.length).toBeGreaterThan(0);
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('describes every field to editors', () => {
    for (const [field, shape] of Object.entries(assetConfigJsonSchema(kind).properties ?? {}))
      expect([field, typeof shape === 'object' && typeof shape.description]).toEqual([field, 'string']);
  });
});

test.each<[ConfiguredKind, string, string]>([
  ['prompt', '', 'either `template` or `messages`'],
  ['prompt', 'template: "{{topik}}"\nvariables: [{name: topic}]\n', 'did you mean `{{topic}}`?'],
  [
    'prompt',
    'template: x\nvariables: [{name: topic}]\n',
    '/variables/0/name `variables[0].name` is `topic`, but no text uses it',
  ],
  ['prompt', 'template: "{{#if x}}"\n', 'holds `{{` without a variable'],
  ['target', clusterYaml.replace('https://k8s', 'tcp://k8s'), '/address `address` is not https://<host>[:<port>]'],
  ['target', clusterYaml.replace(':6443', ':6443/path'), '/address `address` is not https://<host>[:<port>]'],
  ['target', clusterYaml.replace('namespace: agents', 'namespace: kube/../x'), '/namespace'],
  ['target', clusterYaml.replace('namespace: agents\n', ''), '/namespace `namespace` is missing'],
  ['target', `${clusterYaml}host_fingerprint: SHA256:${'a'.repeat(43)}\n`, 'belongs to `kind: engine`'],
  ['target', clusterYaml.replace('kubernetes', 'engine'), '/namespace `namespace` belongs to `kind: kubernetes`'],
  ['target', awsYaml.replace('region: eu-west-1', 'region: evil.example.com/'), '/region'],
  ['target', awsYaml.replace('region: eu-west-1\n', ''), '/region `region` is missing'],
  ['target', awsYaml.replace('ecs-fargate', 'ecs-express'), 'load balancer in front of every replica'],
  ['target', `${awsYaml}address: https://ecs.example.com\n`, '/address `address` does not belong to `kind: aws`'],
  ['target', awsYaml.replace('.amazonaws.com', '.example.com'), '/registry `registry` is not https://123456789012.dkr'],
  ['target', awsYaml.replace('.eu-west-1.', '.eu-west-2.'), '/registry `registry` is not https://123456789012.dkr'],
  ['target', awsYaml.replace('gantry/agents\nservice', '\nservice'), '/registry `registry` is not'],
  ['target', awsYaml.replace('[sg-0a1b2c3d]', '[vpc-0a1b2c3d]'), '/security_groups'],
  ['target', awsYaml.replace('role/gantry-execution', 'user/gantry'), '/execution_role_arn'],
  ['target', awsYaml.replace('123456789012:role/agents', '999999999999:role/agents'), 'is of another account'],
  [
    'target',
    gcpYaml.replace('europe-west1\nservice', 'europe-west1/x\nservice'),
    '/address `address` is not projects/<project>',
  ],
  ['target', gcpYaml.replace('projects/my-project', 'projects/..'), '/address `address` is not projects/<project>'],
  [
    'target',
    gcpYaml.replace('agents@my-project', 'agents@other-project'),
    '/service_account `service_account` is of another',
  ],
  ['target', gcpYaml.replace('.iam.gserviceaccount.com', '.example.com'), '/service_account'],
  [
    'target',
    gcpYaml.replace('-docker.pkg.dev', '-docker.pkg.dev.example.com'),
    '/registry `registry` is not https://<location>',
  ],
  ['target', gcpYaml.replace('https://europe-west1-docker', 'http://europe-west1-docker'), '/registry'],
  ['target', gcpYaml.replace('/gantry/agents', '/gantry'), '/registry `registry` is not https://<location>'],
  [
    'target',
    azureYaml.replace('/agents/providers/Microsoft.App', '/../providers/Microsoft.App'),
    '/address `address` is not',
  ],
  ['target', azureYaml.replace('Environments/production', 'Environments/production/x'), '/address `address` is not'],
  ['target', azureYaml.replace('location: westeurope\n', ''), '/location `location` is missing; Azure needs it'],
  ['target', azureYaml.replace('workspace: 0', 'workspace: X'), '/workspace'],
  [
    'target',
    azureYaml.replace('identity: /subscriptions/00000000', 'identity: /subscriptions/11111111'),
    'another subscription',
  ],
  ['target', azureYaml.replace('agents-pull', 'agents-pull/x'), '/identity'],
  ['target', azureYaml.replace('.azurecr.io', '.azurecr.io.example.com'), '/registry `registry` is not https://<name>'],
  ['target', azureYaml.replace('https://gantryagents', 'http://gantryagents'), '/registry'],
  ['target', `${azureYaml}service_account: agents@my-project.iam.gserviceaccount.com\n`, '`kind: gcp`'],
  ['target', `${gcpYaml}region: eu-west-1\n`, '/region `region` belongs to `kind: aws`'],
  ['target', `${awsYaml}namespace: agents\n`, '/namespace `namespace` belongs to `kind: kubernetes`'],
  ['tool', 'url: https://example.com\n', '/url `url` belongs to tools of `type: http`'],
  ['tool', 'type: http\n', '/url `url` is missing'],
  ['tool', 'type: http\nurl: https://u:p@example.com\n', 'a user name or a password'],
  ['tool', 'type: http\nurl: https://example.com/?api_key=abc\n', 'looks like a secret (`api_key`)'],
  ['tool', 'type: http\nurl: file:///etc/passwd\n', 'is not an address'],
  ['tool', 'type: http\nurl: javascript:alert(1)\n', 'is not an address'],
  ['tool', 'parameters: {type: array}\n', '/parameters/type'],
  ['tool', 'parameters: {required: [query]}\n', 'names `query`, but no property has this name'],
  ['tool', 'parameters: {properties: {a: {type: text}}}\n', '/parameters/properties/a/type'],
  ['tool', 'parameters: {properties: {a: {$ref: "https://example.com/s.json"}}}\n', 'refers to another document'],
  ['memory-config', 'kind: window\n', 'needs one of them'],
  ['memory-config', 'kind: summary\nmax_tokens: 5\n', '/model `model` is missing'],
  ['memory-config', 'embedding: text-embedding-3-small\n', '/embedding'],
  ['memory-config', 'search: []\n', '/search'],
  ['memory-config', 'store: redis\n', '/secret `secret` is missing'],
  ['rag-index', 'embedding_model: kb/x\nknowledge_bases: [kb/x]\n', '/embedding_model'],
  ['rag-index', 'embedding_model: models/../x\nknowledge_bases: [kb/x]\n', '/embedding_model'],
  ['rag-index', 'embedding_model: models/x\nknowledge_bases: []\n', '/knowledge_bases'],
  [
    'rag-index',
    'embedding_model: models/x\nknowledge_bases: [kb/x]\nchunk_size: 100\n',
    'is not less than `chunk_size`',
  ],
  ['knowledge-base', 'documents: [{title: A}]\n', 'either `url` or `text`'],
  ['model', 'provider: acme\nmodel: x\nprice_usd_per_million: {input: 2.5}\n', '/price_usd_per_million/input'],
  ['model', 'provider: google\nmodel: gemini-3-pro\n', 'whose models the providers `gemini` and `vertex` have'],
  ['model', 'provider: vertex\nmodel: gemini-2.5-pro\n', '/project'],
  ['model', 'provider: vertex\nmodel: m\nproject: acme-1\nregion: "eu/../x"\n', '/region'],
  ['model', 'provider: vertex\nmodel: m\nproject: acme-1\nregion: us-east1\ntype: embedding\n', '/type'],
  ['model', 'provider: gemini\nmodel: m\nproject: acme-1\n', '/project'],
  ['model', 'provider: bedrock\nmodel: claude\n', 'names Amazon Bedrock'],
  ['model', 'provider: openai\nmodel: x\nsecret: A\nupstreams: [{secret: B}]\n', '/secret'],
  ['model', 'provider: openai\nmodel: x\nupstreams: []\n', '/upstreams'],
  ['model', 'provider: openai\nmodel: x\naliases: [a, a]\n', '/aliases/1'],
  ['mcp-server', 'transport: http\nurl: https://example.com\n', '/transport'],
  ['mcp-server', 'transport: sse\ncommand: x\n', '/command `command` does not belong to `transport: sse`'],
  ['mcp-server', 'command: x\nenv_vars: {LD_PRELOAD: /x.so}\n', 'cannot be set here'],
  ['mcp-server', 'command: x\nenv_vars: {DB_PASSWORD: hunter2}\n', 'looks like a secret'],
  ['mcp-server', 'command: x\nargs: "-y"\n', '/args'],
  ['mcp-server', 'args: [x]\n', '/package `package` is missing'],
  ['mcp-server', 'command: x\npackage: pypi:x==1\n', '/command `command` does not belong beside `package`'],
  ['mcp-server', 'command: x\nshare: call\n', '/share `share` needs `package`'],
  ['mcp-server', 'package: pypi:x>=1\n', '/package `package` must be one exact version'],
  ['mcp-server', 'package: pypi:x\n', '/package `package` must be one exact version'],
  ['mcp-server', 'package: npm:x@latest\n', '/package `package` must be one exact version'],
  ['mcp-server', 'package: npm:x@^1.0.0\n', '/package `package` must be one exact version'],
  ['mcp-server', 'package: npm:../../x@1.0.0\n', '/package `package` must be one exact version'],
  ['mcp-server', 'package: "pypi:x==1 --index-url=http://evil"\n', '/package `package` must be one exact version'],
  ['mcp-server', 'package: pypi:x==1\negress: ["*.com:443"]\n', '/egress/0'],
  [
    'mcp-server',
    'transport: sse\nurl: https://example.com\npackage: pypi:x==1\n',
    '/package `package` does not belong',
  ],
])('a %s of %j is refused: %s', (kind, text, said) => {
  const all = faults(kind, text).join('\n');
  expect(all).toContain(said);
  expect(all).not.toContain('hunter2');
  expect(parseAssetConfig(kind, text, 'x.yaml').config).toBeUndefined();
});

test.each(configuredKinds)('a hostile config of a %s costs little', (kind) => {
  const many = (each: (n: number) => string) => Array.from({ length: 1200 }, (_, n) => each(n)).join('');
  const hostile = [
    many((n) => `unknown_${n}: sk-proj-abcdefghijklmnop\n`),
    `template: "${'{{'.repeat(60_000)}"`,
    `template: "${'{{ a }}'.repeat(15_000)}"`,
    `parameters: ${'{items: '.repeat(25)}1${'}'.repeat(25)}`,
    `documents: [${many(() => '{}, ')}]`,
    `variables: [${many(() => '{name: a}, ')}]`,
    `knowledge_bases: [${many((n) => `kb/x${n}, `)}]`,
    `description: ${'eyJ'.repeat(40_000)}`,
  ];
  const milliseconds = (text: string) => {
    const started = performance.now();
    expect(parseAssetConfig(kind, text, 'x.yaml').config).toBeUndefined();
    return performance.now() - started;
  };
  for (const text of hostile) {
    // Some 20 ms on a quiet machine; the guarded cases take many seconds.
    const fastest = Math.min(...Array.from({ length: 3 }, () => milliseconds(text)));
    expect([text.slice(0, 40), fastest < 1000]).toEqual([text.slice(0, 40), true]);
  }
});

test('an absent field has its default in the config', () => {
  const { config } = parseAssetConfig('tool', '{}', 'x.yaml');
  expect(config).toEqual({ type: 'function', parameters: { type: 'object', properties: {} } });
});
