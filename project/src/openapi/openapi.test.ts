// OpenAPI documents → configs of tools, over documents of others: what they have in common, and what hostile ones try.
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { parseAssetConfig } from '../asset-config.ts';
import { readDocument } from './document.ts';
import { operationsOf } from './operations.ts';
import { toolNameOf, toolOfOperation } from './tool-of-operation.ts';

const pets = {
  openapi: '3.0.3',
  servers: [{ url: 'https://{region}.pets.example.com/v1/', variables: { region: { default: 'eu' } } }],
  paths: {
    '/pets/{petId}': {
      parameters: [
        { name: 'petId', in: 'path', required: true, schema: { type: 'integer', minimum: 0, exclusiveMinimum: true } },
      ],
      get: {
        operationId: 'findPet',
        summary: 'Finds a pet',
        description: 'By its\u0000 id.\u202e',
        parameters: [
          { $ref: '#/components/parameters/Tags' },
          { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
          { name: 'session', in: 'cookie', schema: { type: 'string' } },
          { name: 'Authorization', in: 'header', schema: { type: 'string' } },
        ],
        responses: {
          404: { description: 'none' },
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
        },
      },
      post: {
        operationId: 'addPet',
        parameters: [{ name: 'dry', in: 'query', schema: { type: 'boolean' } }],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
        },
        responses: { default: {} },
      },
      put: { requestBody: { required: true, content: { 'application/xml': {} } } },
    },
  },
  components: {
    parameters: {
      Tags: {
        name: 'tags',
        in: 'query',
        description: 'Its tags',
        schema: { type: 'array', items: { type: 'string' } },
      },
    },
    schemas: {
      Pet: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', nullable: true, 'x-secret': 1, example: 'Rex' },
          mother: { $ref: '#/components/schemas/Pet' },
        },
      },
    },
  },
};

const nothing = { secret: undefined, secret_header: undefined, server: undefined, document_url: undefined };
function imported(document: object | string, id: string, wish: Partial<Record<keyof typeof nothing, string>> = {}) {
  const read = readDocument(typeof document === 'string' ? document : JSON.stringify(document));
  const operation = operationsOf(read).find((one) => one.id === id);
  if (operation === undefined) throw new Error(`there is no ${id}`);
  return toolOfOperation(read, operation, { ...nothing, ...wish });
}

test.each([
  ['JSON', JSON.stringify(pets)],
  ['YAML', stringify(pets)],
])('the operations of a document are listed (%s)', (_, text) => {
  const listed = operationsOf(readDocument(text)).map(({ id, method, path, summary }) => [id, method, path, summary]);
  expect(listed).toEqual([
    ['findPet', 'GET', '/pets/{petId}', 'Finds a pet'],
    ['addPet', 'POST', '/pets/{petId}', ''],
    ['PUT /pets/{petId}', 'PUT', '/pets/{petId}', ''],
  ]);
});

test('an operation becomes a config that the registry accepts', () => {
  const { config, left_out } = imported(pets, 'findPet', { secret: 'PETS_KEY' });
  expect(config).toEqual({
    type: 'http',
    description: 'Finds a pet\n\nBy its id.',
    method: 'GET',
    url: 'https://eu.pets.example.com/v1/pets/{petId}',
    parameters: {
      type: 'object',
      properties: {
        petId: { type: 'integer', exclusiveMinimum: 0 },
        tags: { type: 'array', items: { type: 'string' }, description: 'Its tags' },
        'X-Trace': { type: 'string' },
      },
      required: ['petId'],
      additionalProperties: false,
    },
    returns: {
      $ref: '#/$defs/Pet',
      $defs: {
        Pet: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: ['string', 'null'] }, mother: { $ref: '#/$defs/Pet' } },
        },
      },
    },
    places: { 'X-Trace': 'header' },
    secret: 'PETS_KEY',
  });
  expect(left_out).toEqual(['The parameter session in cookie cannot be sent.']);
  expect(parseAssetConfig('tool', JSON.stringify(config), 'tool').findings).toEqual([]);
});

test('a body is one parameter, and a query beside it is placed', () => {
  const { config } = imported(pets, 'addPet');
  expect(config).toMatchObject({ places: { dry: 'query', body: 'body' }, parameters: { required: ['petId', 'body'] } });
  expect(config.returns).toBeUndefined();
  expect(parseAssetConfig('tool', JSON.stringify(config), 'tool').findings).toEqual([]);
});

test('names of tools are names of assets', () => {
  expect(toolNameOf({ id: 'findPetById' }, 'pets-')).toBe('pets-find-pet-by-id');
  expect(toolNameOf({ id: 'PUT /pets/{petId}' }, '')).toBe('put-pets-pet-id');
});

test('an address is that of the document, of its first server, or the given one', () => {
  const relative = { ...pets, servers: [{ url: '/v2' }] };
  expect(imported(relative, 'findPet', { document_url: 'https://a.example.com/docs/openapi.json' }).config.url).toBe(
    'https://a.example.com/v2/pets/{petId}',
  );
  expect(imported(pets, 'findPet', { server: 'https://b.example.com/' }).config.url).toBe(
    'https://b.example.com/pets/{petId}',
  );
  expect(() => imported(relative, 'findPet')).toThrow('--server');
});

const withSchema = (schema: object, more: object = {}) => ({
  openapi: '3.1.0',
  servers: [{ url: 'https://a.example.com' }],
  paths: { '/x': { get: { operationId: 'x', parameters: [{ name: 'a', in: 'query', schema }] } } },
  ...more,
});
const deep = (levels: number): object => (levels === 0 ? {} : { items: deep(levels - 1) });

test.each([
  ['a reference to another document', withSchema({ $ref: 'https://evil.example.com/a.json#/A' }), 'another document'],
  ['a reference to a file', withSchema({ $ref: '../../etc/passwd' }), 'another document'],
  ['a reference to nothing', withSchema({ $ref: '#/components/schemas/A' }), 'leads to nothing'],
  ['a reference to a prototype', withSchema({ $ref: '#/__proto__/toString' }), 'leads to nothing'],
  [
    'references in a circle',
    withSchema({ $ref: '#/a' }, { a: { $ref: '#/b' }, b: { $ref: '#/a' } }),
    'lead in a circle',
  ],
  ['a deep schema', withSchema(deep(40)), 'nested deeper'],
  ['a schema that doubles', withSchema({ allOf: Array.from({ length: 4000 }, () => ({})) }), 'more than 3000 parts'],
  ['a body of another type that is needed', pets, 'not JSON', 'PUT /pets/{petId}'],
  ['an address of another kind', { ...withSchema({}), servers: [{ url: 'file:///etc' }] }, '--server'],
])('%s is refused', (_, document, sentence, id = 'x') => {
  expect(() => imported(document, id)).toThrow(sentence);
});

test.each([
  ['no document', '[]', 'no OpenAPI document'],
  ['Swagger', '{"swagger": "2.0"}', 'Swagger 2.0'],
  ['a later version', '{"openapi": "4.0.0"}', '3.0 and 3.1'],
  ['aliases of YAML', 'openapi: 3.1.0\na: &a [x]\nb: [*a, *a]', 'neither JSON nor YAML'],
  ['deep YAML', `openapi: 3.1.0\na: ${'['.repeat(100_000)}`, 'nested deeper'],
  ['a text that is too long', ' '.repeat(4_000_001), 'more than 4000000 characters'],
])('%s is refused', (_, text, sentence) => {
  expect(() => readDocument(text)).toThrow(sentence);
});

test('keywords of others, and names of prototypes, do no harm', () => {
  const schema = {
    type: 'object',
    $id: 'https://evil.example.com',
    $dynamicRef: '#x',
    properties: JSON.parse('{"__proto__": {"type": "string"}}'),
  };
  const { config } = imported(withSchema(schema), 'x');
  const text = JSON.stringify(config);
  expect(text).not.toContain('evil');
  expect(text).not.toContain('dynamicRef');
  expect(({} as Record<string, unknown>)['type']).toBeUndefined();
});
