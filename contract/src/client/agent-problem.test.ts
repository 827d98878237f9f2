import { describe, expect, test } from 'vitest';
import { readAgentProblem } from './agent-problem.ts';

describe("a refusal of an agent's own server", () => {
  test('that takes no call now becomes agent_unavailable', () => {
    const problem = readAgentProblem({ status: 503, code: 'agent_not_ready', detail: 'the agent is still starting' });
    expect(problem).toMatchObject({
      code: 'agent_unavailable',
      detail: 'the agent is still starting',
      fields: { agent_code: 'agent_not_ready' },
    });
  });

  test('of the call itself hints at a change of the call, and keeps its faults', () => {
    const errors = [{ pointer: '/input/message', detail: 'must be text' }];
    expect(readAgentProblem({ status: 422, code: 'invalid_input', detail: 'no', errors })).toMatchObject({
      code: 'agent_error',
      hint: 'Change the call; the agent itself works.',
      errors: [{ pointer: '/input/message', message: 'must be text' }],
    });
  });

  test.each([null, 'text', {}, { code: 1, detail: 'x' }, { code: 'x' }])('is not read from %j', (value) => {
    expect(readAgentProblem(value)).toBeUndefined();
  });
});
