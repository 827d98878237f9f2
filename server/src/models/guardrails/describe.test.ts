import { expect, test } from 'vitest';
import { requiredGuardrails } from '@gantry/contract/guardrails/required.ts';
import { describeGuardrails } from './describe.ts';

const required_guardrails = requiredGuardrails.parse([
  { name: 'pii_detection' },
  { name: 'json_schema', options: { schema: { type: 'object' } }, teams: ['ml'] },
]);

test('who deploys an agent reads its guardrails, whose they are, and which of them end its streams', () => {
  const config = { guardrails: ['prompt_injection' as const] };
  const of = (team: string) => describeGuardrails({ required_guardrails }, { config, team });
  expect(of('sales')).toEqual(['Guardrails: prompt_injection, pii_detection (required by the organisation).']);
  expect(of('ml')[0]).toContain('json_schema (required by the organisation)');
  expect(of('ml')[1]).toBe('json_schema: a streamed answer is sent in one piece.');
  expect(describeGuardrails({ required_guardrails: [] }, { config: {}, team: 'ml' })).toEqual([]);
});
