import { describe, expect, test } from 'vitest';
import { readAgentProblem } from './problems.ts';

describe("a refusal of an agent's own server", () => {
  test('that does not take the call now says that the agent does not answer', () => {
    const problem = readAgentProblem({ status: 503, code: 'agent_not_ready', detail: 'the agent is still starting' });
    expect(problem).toMatchObject({
      code: 'agent_unavailable',
      detail: 'the agent is still starting',
      fields: { agent_code: 'agent_not_ready' },
    });
  });

  test('of the call itself says what to change, and keeps its faults', () => {
    const errors = [{ pointer: '/input/message', detail: 'must be text' }];
    expect(readAgentProblem({ status: 422, code: 'invalid_input', detail: 'no', errors })).toMatchObject({
      code: 'agent_error',
      hint: 'Change the call; the agent itself is well.',
      errors: [{ pointer: '/input/message', message: 'must be text' }],
    });
  });

  test.each([null, 'text', {}, { code: 1, detail: 'x' }, { code: 'x' }])('is none when it is %j', (value) => {
    expect(readAgentProblem(value)).toBeUndefined();
  });
});
