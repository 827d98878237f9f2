import { expect, test } from 'vitest';
import { serverJson } from './server-json.ts';
import { waysOfServer } from './ways-of-server.ts';

const waysOf = (of: object) =>
  waysOfServer(serverJson.parse({ name: 'io.github.example/weather-mcp', version: '1.0.0', description: 'x', ...of }));
const remote = (of: object) =>
  waysOf({ remotes: [{ type: 'streamable-http', url: 'https://w.example.com/mcp', ...of }] });
const npm = { registryType: 'npm', identifier: '@example/weather', version: '1.2.0', transport: { type: 'stdio' } };
const program = (of: object) => waysOf({ packages: [{ ...npm, ...of }] });
const token = { name: 'authorization', isRequired: true, isSecret: true };

test('an address becomes a config, with the secret by name that it needs', () => {
  const config = { transport: 'streamable-http', url: 'https://w.example.com/mcp' };
  expect(remote({})).toMatchObject([{ config, reason: null }]);
  expect(remote({ headers: [token] })).toMatchObject([{ config: { ...config, secret: 'WEATHER_MCP_TOKEN' } }]);
  const optional = { ...token, isRequired: false, value: 'Bearer {token}' };
  expect(remote({ headers: [optional, { name: 'X-Trace' }] })[0]).toMatchObject({
    config,
    left_out: [expect.stringContaining('--secret'), 'the header X-Trace'],
  });
});

test('a package becomes a config with its exact version, its arguments and its variables', () => {
  const [way] = program({
    runtimeArguments: [{ type: 'positional', value: '-y' }],
    packageArguments: [
      { type: 'positional', value: 'serve' },
      { type: 'named', name: '--mode', default: 'mcp' },
      { type: 'named', name: '--port' },
    ],
    environmentVariables: [
      { name: 'KEY', isRequired: true, isSecret: true },
      { name: 'PROXY_KEY', isSecret: true },
      { name: 'LEVEL', value: 'info' },
      { name: 'UNITS', default: 'metric', choices: ['metric'] },
      { name: 'CITY', isRequired: true, description: 'Where' },
    ],
  });
  expect(way).toMatchObject({
    of: 'npm:@example/weather@1.2.0',
    config: {
      transport: 'stdio',
      package: 'npm:@example/weather@1.2.0',
      args: ['serve', '--mode', 'mcp'],
      env_vars: { LEVEL: 'info', UNITS: 'metric' },
      secrets: ['KEY'],
    },
    left_out: [expect.stringContaining('runtime'), 'the argument --port'],
  });
  const sorts = way?.variables.map(({ name, is_required, is_secret }) => [name, is_required, is_secret]);
  expect(sorts).toEqual([
    ['KEY', true, true],
    ['PROXY_KEY', false, true],
    ['UNITS', false, false],
    ['CITY', true, false],
  ]);
});

test.each([
  ['sse', remote({ type: 'sse' }), 'speaks sse'],
  ['an address with parts', remote({ url: 'https://{tenant}.example.com/mcp' }), 'a person fills in'],
  ['another header', remote({ headers: [{ name: 'X-API-Key', isRequired: true }] }), 'the header X-API-Key'],
  ['another scheme', remote({ headers: [{ ...token, value: 'Basic {token}' }] }), 'no bearer token'],
  ['a credential in the entry', remote({ headers: [{ ...token, value: 'Bearer abc' }] }), 'holds the value'],
  ['a user in the address', remote({ url: 'https://u:p@w.example.com/mcp' }), '`/url`'],
  ['an image', program({ registryType: 'oci' }), 'package of oci'],
  ['a bundle', program({ registryType: 'mcpb' }), 'package of mcpb'],
  ['a program with a port', program({ transport: { type: 'sse' } }), 'speaks sse'],
  ['another index', program({ registryBaseUrl: 'https://index.example.com' }), 'package index of its own'],
  ['a range', program({ version: '^1.2.0' }), 'no exact version'],
  ['no version', program({ version: undefined }), 'no exact version'],
  ['a path for a name', program({ identifier: '../../etc' }), 'no exact version'],
  [
    'an argument of a person',
    program({ packageArguments: [{ type: 'positional', valueHint: 'folder', isRequired: true }] }),
    'the argument folder',
  ],
  ['a variable of the loader', program({ environmentVariables: [{ name: 'LD_PRELOAD', value: 'x' }] }), 'LD_PRELOAD'],
])('%s cannot be taken, and the reason says why', (_, ways, reason) => {
  expect(ways).toMatchObject([{ config: null, reason: expect.stringContaining(reason) }]);
});
