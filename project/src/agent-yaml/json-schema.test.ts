import { expect, test } from 'vitest';
import { agentConfig } from './config.ts';
import { agentYamlExample } from './example.ts';
import { fieldsInEffect, notInEffect } from './fields-in-effect.ts';
import { fieldPaths, type JsonSchema } from '@gantry/contract/formats/json-schema.ts';
import { agentJsonSchema } from './json-schema.ts';
import { parseAgentYaml } from '../agent-yaml.ts';

/** Maps that are a single field each; `deploy.env_vars` has no fields of its own. */
const leaves = fieldPaths(agentJsonSchema())
  .map((path) => path.join('.'))
  .filter((field, _, all) => !all.some((other) => other.startsWith(`${field}.`)));

test('the schema closes every map and describes every field', () => {
  const open: string[] = [];
  const silent: string[] = [];
  const walk = (schema: JsonSchema, name: string): void => {
    if (schema.properties !== undefined && schema.additionalProperties !== false) open.push(name);
    for (const [key, below] of Object.entries(schema.properties ?? {})) {
      if (typeof below !== 'object') continue;
      if (below.description === undefined) silent.push(`${name}/${key}`);
      walk(below, `${name}/${key}`);
    }
  };
  walk(agentJsonSchema(), '');
  expect({ open, silent }).toEqual({ open: [], silent: [] });
  expect(agentJsonSchema()).toMatchObject({
    $schema: 'http://json-schema.org/draft-07/schema#',
    required: ['name', 'version', 'team', 'framework'],
  });
});

test('the fields are those of the table, and no others', () => {
  expect(leaves.join(' ')).toBe(
    'name version description team owner tags framework entrypoint' +
      ' model.primary model.fallback model.temperature model.max_tokens model.gateway' +
      ' tools subagents knowledge_bases mcp_servers' +
      ' skills prompts' +
      ' memory files guardrails' +
      ' access.visibility access.allowed_callers access.may_answer access.require_approval access.approvals_required' +
      ' deploy.cloud deploy.runtime deploy.region deploy.scaling.min deploy.scaling.max deploy.scaling.target_cpu deploy.scaling.target_concurrency' +
      ' deploy.isolation deploy.resources.cpu deploy.resources.memory deploy.concurrency' +
      ' deploy.tracing.enabled deploy.tracing.hide_inputs deploy.tracing.hide_outputs' +
      ' deploy.secrets deploy.env_vars deploy.egress',
  );
});

test('every field has a description of its effect today', () => {
  expect([...new Set(fieldsInEffect.map(({ field }) => field))]).toEqual(leaves);
});

test('the example uses every field', () => {
  const config: unknown = parseAgentYaml(agentYamlExample).config;
  const has = (field: string): boolean =>
    field
      .split('.')
      .reduce<unknown>(
        (at, step) =>
          typeof at === 'object' && at !== null ? Object.getOwnPropertyDescriptor(at, step)?.value : undefined,
        config,
      ) !== undefined;
  expect(leaves.filter((field) => !has(field))).toEqual([]);
});

const least = agentConfig.parse({ name: 'a', version: '1.0.0', team: 'ml', framework: 'crewai' });

test('every field of a minimal config is in effect', () => {
  expect(notInEffect(least)).toEqual([]);
});

test('region and runtime have no effect on local alone', () => {
  const listed = (cloud?: string) =>
    notInEffect(agentConfig.parse({ ...least, deploy: { cloud, region: 'eu-west-1', runtime: 'ecs-fargate' } })).map(
      ({ field }) => field,
    );
  expect([listed(), listed('local'), listed('prod')]).toEqual([
    ['deploy.runtime', 'deploy.region'],
    ['deploy.runtime', 'deploy.region'],
    [],
  ]);
});
