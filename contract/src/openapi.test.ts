import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { problemsOf } from './endpoint.ts';
import { describedEndpoints } from './openapi/described.ts';
import { needs } from './needs.ts';
import { openapi } from './openapi.ts';
import { nouns } from './openapi/nouns.ts';
import { problems } from './problems.ts';
import { operations } from './roles.ts';

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  responses: Record<string, { $ref?: string; description?: string }>;
}

interface Described {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, { description: string }>; schemas: Record<string, object> };
}

const text = JSON.stringify(openapi('http://127.0.0.1:4480', '0'));
const { paths, components } = JSON.parse(text) as Described; // made by openapi()
const byName = Object.fromEntries(
  Object.values(paths).flatMap((path) => Object.values(path).map((operation) => [operation.operationId, operation])),
);

test('a linter finds no fault: each reference resolves, each operation has tag, summary and id', async () => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      'info-license': 'off',
      'operation-operationId': 'error',
      'operation-summary': 'error',
      'operation-description': 'error',
      'operation-singular-tag': 'error',
      'operation-tag-defined': 'error',
      'tag-description': 'error',
    },
  });
  const found = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  expect(found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
});

test.each(describedEndpoints)('%s declares its permission and the codes of its refusals', (name, endpoint) => {
  const { description, responses } = byName[name] ?? never(name);
  expect(description).toContain(needs(operations[endpoint.operation]));
  for (const code of problemsOf(endpoint))
    expect(responseTo(responses, problems[code].status)).toContain(`\`${code}\``);
});

test('a tag is a noun, and each noun has endpoints', () => {
  const used = Object.values(byName).flatMap(({ tags }) => tags);
  expect([...new Set(used)].toSorted()).toEqual(nouns.map(({ tag }) => tag).toSorted());
});

test('an object is described once', () => {
  const written = objectsIn(JSON.parse(text)).map((schema) => JSON.stringify(schema));
  expect(components.schemas).toHaveProperty('Asset');
  expect(written.filter((schema, index) => schema.length > 250 && written.indexOf(schema) !== index)).toEqual([]);
});

function responseTo(responses: Operation['responses'], status: number): string | undefined {
  const { $ref, description } = responses[status] ?? {};
  return $ref === undefined ? description : components.responses[$ref.split('/').at(-1) ?? '']?.description;
}

function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...('properties' in value ? [value] : []), ...Object.values(value).flatMap(objectsIn)];
}

function never(name: string): never {
  throw new Error(`${name} is not described`);
}
