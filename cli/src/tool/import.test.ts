import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshHome, runSvc } from '../testing/run-svc.ts';
import { data, problem, scriptService, type Reply } from '../testing/scripted-service.ts';

const document = {
  openapi: '3.1.0',
  servers: [{ url: 'https://pets.example.com' }],
  paths: {
    '/pets': {
      get: { operationId: 'listPets', summary: 'Lists pets' },
      post: { operationId: 'addPet', parameters: [{ name: 'dry', in: 'query', schema: { type: 'boolean' } }] },
    },
  },
};
const config = {
  type: 'http',
  description: 'addPet',
  parameters: { type: 'object', properties: { dry: { type: 'boolean' } }, additionalProperties: false },
  url: 'https://pets.example.com/pets',
  method: 'POST',
  places: { dry: 'query' },
};
const tool = (of: object) =>
  data({ ref: 'tools/add-pet', name: 'add-pet', team: 'ml', latest_version: '1.0.0', config: of });
const accepts = data({ ref: 'tools/add-pet', name: 'add-pet', team: 'ml', latest_version: '1.0.0' });
const missing: Reply = problem(404, 'not_found', 'not here');

async function importing(args: string[], routes: Record<string, Reply>) {
  await using service = await scriptService({
    'GET /api/v1/auth/me': data({ active_team: 'ml', primary_team: 'ml' }),
    'POST /api/v1/registry/tool': accepts,
    'PUT /api/v1/registry/tool/add-pet': accepts,
    'PATCH /api/v1/registry/tool/add-pet': accepts,
    ...routes,
  });
  const home = freshHome();
  const file = join(home, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  const done = await runSvc(['tool', 'import', file, ...args], {
    home,
    env: { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' },
  });
  const changes = service.asked.filter(({ method }) => method !== 'GET');
  return {
    ...done,
    changes: changes.map(({ method, path, body }) => ({ method, path, body: JSON.parse(body) as unknown })),
  };
}

test('without an operation, the operations are listed and nothing is changed', async () => {
  const { exit, stdout, changes } = await importing([], {});
  expect(exit).toBe(0);
  expect(stdout).toContain('listPets');
  expect(stdout).toContain('POST /pets');
  expect(changes).toEqual([]);
});

test('a chosen operation becomes a tool of the team', async () => {
  const shown = { 'GET /api/v1/registry/tool/pets-add-pet': missing };
  const args = ['--operation', 'addPet', '--name-prefix', 'pets-', '--secret', 'PETS_KEY'];
  const { exit, changes } = await importing(args, shown);
  expect(exit).toBe(0);
  expect(changes).toMatchObject([
    {
      method: 'POST',
      path: '/api/v1/registry/tool',
      body: { name: 'pets-add-pet', team: 'ml', config: { ...config, secret: 'PETS_KEY' } },
    },
  ]);
});

test('an import of what is there changes nothing', async () => {
  const { stdout, changes } = await importing(['--operation', 'addPet'], {
    'GET /api/v1/registry/tool/add-pet': tool(config),
  });
  expect(stdout).toContain('is as the document has it');
  expect(changes).toEqual([]);
});

test('a changed operation is shown, changes nothing without a yes, and keeps what people have set', async () => {
  const old = { ...config, description: 'Adds a pet', rate: { agent: 5 }, secret: 'PETS_KEY' };
  const shown = { 'GET /api/v1/registry/tool/add-pet': tool(old) };
  const asked = await importing(['--operation', 'addPet'], shown);
  expect(asked.exit).toBe(2);
  expect(asked.stdout + asked.stderr).toContain('Adds a pet');
  expect(asked.changes).toEqual([]);
  const { exit, changes } = await importing(['--operation', 'addPet', '--yes'], shown);
  expect(exit).toBe(0);
  expect(changes).toMatchObject([
    { body: { version: '1.1.0', config: { description: 'addPet', rate: { agent: 5 }, secret: 'PETS_KEY' } } },
  ]);
});

test('an operation that the document does not have changes nothing', async () => {
  const { exit, stderr, changes } = await importing(['--operation', 'addPet', '--operation', 'sellPet'], {});
  expect([exit, changes]).toEqual([2, []]);
  expect(stderr).toContain('sellPet');
});
