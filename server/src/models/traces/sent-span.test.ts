import { expect, test } from 'vitest';
import { makeSpan } from '../../testing/stored/make-span.ts';
import { resourceOf, sentOf, type AgentLabels } from './sent-span.ts';
import type { Span } from './span.ts';

const labels: AgentLabels = { agent: 'greeter', team: 'ml', version: '1.2.3' };
const tokens = { input_tokens: 20, output_tokens: 10 };
const model = { kind: 'llm', model: 'gpt-4o-mini-2024', provider: 'openai', ...tokens } as const;
const read = { 'gen_ai.usage.cache_read.input_tokens': 5 };
const sent = (span: Partial<Span>, has_content = false) =>
  sentOf(makeSpan({ agent_id: 'agent', ...span }), { has_content, labels });

test('a sum over the usage of a trace counts the tokens of each call once', () => {
  const trace = [
    sent({ source: 'ingress' }),
    sent({ source: 'agent', kind: 'chain', ...tokens }),
    sent({ source: 'agent', ...model, attributes: { 'svc.metered': true, ...read } }),
    sent({ source: 'gateway', ...model, attributes: read }),
    // A model that is not called through the gateway.
    sent({ source: 'agent', ...model, input_tokens: 3, output_tokens: 1 }),
  ];
  const sum = (name: string) => trace.reduce((total, { attributes }) => total + Number(attributes[name] ?? 0), 0);
  expect(sum('gen_ai.usage.input_tokens')).toBe(23);
  expect(sum('gen_ai.usage.output_tokens')).toBe(11);
  expect(sum('gen_ai.usage.cache_read.input_tokens')).toBe(5);
});

test('an agent is a service of its own, with team and version, and other spans are of the service', () => {
  expect(resourceOf(makeSpan({ agent_id: 'agent' }), labels, '9')).toEqual({
    'service.name': 'greeter',
    'service.namespace': 'ml',
    'service.version': '1.2.3',
    'svc.agent.id': 'agent',
  });
  expect(resourceOf(makeSpan(), undefined, '9')).toEqual({ 'service.name': 'gantry', 'service.version': '9' });
});

test('spans have the newest names of the conventions, whatever the library in the agent calls them', () => {
  expect(sent({ source: 'ingress' }).attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'greeter',
    'gen_ai.agent.id': 'agent',
    'gen_ai.agent.version': '1.2.3',
  });
  const older = { 'llm.finish_reason': 'stop', 'session.id': 'thread' };
  const asked = { 'gen_ai.request.model': 'small', 'gen_ai.operation.name': 'text_completion' };
  expect(
    sent({ source: 'agent', ...model, provider: 'Azure', attributes: { ...older, ...asked } }).attributes,
  ).toMatchObject({
    'gen_ai.operation.name': 'text_completion',
    'gen_ai.provider.name': 'azure.ai.openai',
    'gen_ai.request.model': 'small',
    'gen_ai.response.model': 'gpt-4o-mini-2024',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.conversation.id': 'thread',
  });
  expect(sent({ source: 'agent', kind: 'tool', attributes: { 'tool.name': 'look_up' } }).attributes).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'look_up',
  });
});

test('a failure of the agent is an exception event, whose message is sent only with content', () => {
  const failed = { source: 'agent', status: 'error', error: 'ValueError', output: 'no such thing' } as const;
  const type = { 'exception.type': 'ValueError' };
  expect(sent(failed)).toMatchObject({ error: 'ValueError', attributes: { 'error.type': 'ValueError' } });
  expect(sent(failed).events.map(({ attributes }) => attributes)).toEqual([type]);
  expect(sent(failed, true).events[0]?.attributes).toEqual({ ...type, 'exception.message': 'no such thing' });
});
