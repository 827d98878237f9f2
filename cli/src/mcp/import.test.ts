import type { ServerWay } from '@gantry/contract/assets/outside-registry.ts';
import { expect, test } from 'vitest';
import { freshHome, runSvc } from '../testing/run-svc.ts';
import { data, problem, scriptService, type Reply } from '../testing/scripted-service.ts';

const way = (of: Partial<ServerWay>): ServerWay => ({
  of: 'it',
  config: null,
  reason: null,
  variables: [],
  left_out: [],
  ...of,
});
const oci = way({ of: 'oci:weather', reason: 'it is a package of oci, and the service runs those of pypi and npm' });
const variable = { description: 'The units', is_required: true, is_secret: false, choices: ['metric', 'imperial'] };
const program = way({
  of: 'pypi:weather==1.2.0',
  config: { transport: 'stdio', package: 'pypi:weather==1.2.0', env_vars: { MODE: 'mcp' }, secrets: ['WEATHER_KEY'] },
  variables: [{ name: 'UNITS', ...variable }],
  left_out: ['the argument --port'],
});
const remote = way({
  of: 'https://weather.example.com/mcp',
  config: { transport: 'streamable-http', url: 'https://weather.example.com/mcp', secret: 'WEATHER_TOKEN' },
});
const missing = problem(404, 'not_found', 'not here');
const asset = (config: object) =>
  data({ ref: 'mcp-servers/weather', name: 'weather', team: 'ml', latest_version: '1.0.0', config });

async function importing(args: string[], ways: ServerWay[], before: Reply = missing) {
  const found = {
    registry: 'https://registry.example.com',
    name: 'io.github.example/weather',
    version: '1.2.0',
    title: 'Weather',
    description: 'The weather',
    ways,
  };
  await using service = await scriptService({
    'GET /api/v1/auth/me': data({ active_team: 'ml', primary_team: 'ml' }),
    'POST /api/v1/outside-registry/read': data(found),
    'GET /api/v1/registry/mcp-server/weather': before,
    'POST /api/v1/registry/mcp-server': asset({}),
    'PUT /api/v1/registry/mcp-server/weather': asset({}),
  });
  const home = freshHome();
  const env = { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' };
  const done = await runSvc(['mcp', 'import', 'io.github.example/weather', ...args], { home, env });
  const changes = service.asked.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/read'));
  return { ...done, changes: changes.map(({ body }) => JSON.parse(body) as { config: object }) };
}

test('the first way that can be taken becomes a server, and the others have their reasons', async () => {
  const { stdout, stderr, changes } = await importing(['--env', 'UNITS=metric', '--yes'], [oci, program, remote]);
  const config = { ...program.config, env_vars: { MODE: 'mcp', UNITS: 'metric' } };
  expect(changes).toMatchObject([{ name: 'weather', team: 'ml', description: 'The weather', config }]);
  for (const said of [
    '1 oci:weather: it is a package of oci',
    'left out: the argument --port',
    'svc secret set WEATHER_KEY',
  ])
    expect(stdout + stderr).toContain(said);
});

test('a picked address takes another secret', async () => {
  const { changes } = await importing(['--pick', '2', '--secret', 'MINE', '--yes'], [program, remote]);
  expect(changes).toMatchObject([{ config: { ...remote.config, secret: 'MINE' } }]);
});

test.each<[string[], string]>([
  [['--yes'], '--env UNITS=<value>'],
  [['--env', 'UNITS=kelvin', '--yes'], 'UNITS is one of metric, imperial'],
  [['--env', 'MODE=x', '--yes'], 'no variable MODE'],
  [['--env', 'UNITS=metric', '--secret', 'OTHER', '--yes'], 'no secret variable OTHER'],
  [['--env', 'UNITS=metric'], '--yes'],
  [['--pick', '2', '--yes'], 'has no way 2'],
])('%j changes nothing, and says %s', async (args, said) => {
  const { exit, stderr, changes } = await importing(args, [program]);
  expect(exit).not.toBe(0);
  expect(stderr).toContain(said);
  expect(changes).toEqual([]);
});

test('an entry without a way is refused with each reason', async () => {
  const { exit, stderr } = await importing(['--yes'], [oci]);
  expect(exit).toBe(1);
  expect(stderr).toContain('it is a package of oci');
});

test('a second import shows the difference, and keeps what people have set', async () => {
  const set = { env_vars: { MODE: 'old', UNITS: 'imperial' }, secrets: ['WEATHER_KEY', 'PROXY_KEY'] };
  const people = { egress: ['weather.example.com:443'], share: 'call' };
  const had = { transport: 'stdio', package: 'pypi:weather==1.1.0', ...set, ...people };
  const { stdout, stderr, changes } = await importing(['--yes'], [program], asset(had));
  const kept = { ...people, env_vars: { MODE: 'mcp', UNITS: 'imperial' }, secrets: set.secrets };
  expect(changes).toEqual([{ version: '1.1.0', config: { ...program.config, ...kept } }]);
  expect(stdout + stderr).toMatch(/- package: pypi:weather==1\.1\.0/);
  const again = await importing(['--yes'], [program], asset({ ...program.config, ...kept }));
  expect(again.stdout).toContain('is as the registry has it');
  expect(again.changes).toEqual([]);
});

test('an address that people call with credentials of the caller gets no secret of the team', async () => {
  const had = { transport: 'streamable-http', url: 'https://old.example.com/mcp', as: 'user' };
  const { changes } = await importing(['--yes'], [remote], asset(had));
  expect(changes).toEqual([{ version: '1.1.0', config: { transport: 'streamable-http', url: remote.of, as: 'user' } }]);
});
