import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { problemsOf, type Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { secretMembers, takesIdempotencyKey } from './idempotency.ts';
import { openapi } from './openapi.ts';
import { operations } from './roles.ts';

const keyed = Object.entries<Endpoint>(endpoints).filter(([, endpoint]) => takesIdempotencyKey(endpoint));

test('exactly the endpoints that create something from JSON take an Idempotency-Key', () => {
  expect(keyed.map(([name]) => name).toSorted()).toEqual([
    'agents.rollback',
    'agents.scale',
    'approvals.comment',
    'approvals.submit',
    'deployments.create',
    'grants.create',
    'groups.create',
    'keys.create',
    'permissions.grant',
    'principals.create',
    'principals.rotate_key',
    'prompts.add_example',
    'registry.create',
    'teams.create',
    'threads.create',
    'threads.fork',
    'threads.share',
    'users.create',
    'users.reset_password',
    'webhooks.create',
  ]);
});

describe.each(keyed)('%s', (name, endpoint) => {
  test('needs a sign-in, because a key belongs to its caller', () => {
    expect(operations[endpoint.operation].on).not.toBe('anyone');
  });

  test('answers with an object, whose secrets are top-level and optional', () => {
    if (!('schema' in endpoint.reply)) throw new Error('no schema');
    const schema = z.toJSONSchema(endpoint.reply.schema, { io: 'output' });
    expect(schema.type).toBe('object');
    // must_change_password is about a password, but is none.
    const secrets = Object.entries(schema.properties ?? {}).flatMap(([member, shape]) =>
      Object(shape).type === 'string' && /password|secret|token|key/.test(member) ? [member] : [],
    );
    expect(secretMembers(endpoint)).toEqual(secrets);
    expect(schema.required?.filter((member) => secrets.includes(member))).toEqual([]);
    expect(JSON.stringify(schema).split('"x-secret":true').length - 1).toBe(secrets.length);
  });

  test('declares it in OpenAPI, with the refusal of a used key', () => {
    const { paths } = openapi('http://127.0.0.1', '0') as { paths: Record<string, Record<string, Described>> };
    const { parameters } = paths[endpoint.path]?.[endpoint.method.toLowerCase()] ?? never(name);
    expect(parameters).toContainEqual({ $ref: '#/components/parameters/IdempotencyKey' });
    expect(problemsOf(endpoint)).toContain('idempotency_conflict');
  });
});

test('the password that a user gets is a secret', () => {
  for (const name of ['users.create', 'users.reset_password'] as const)
    expect(secretMembers(endpoints[name])).toEqual(['one_time_password']);
});

interface Described {
  parameters: object[];
}

function never(name: string): never {
  throw new Error(`${name} is not described`);
}
