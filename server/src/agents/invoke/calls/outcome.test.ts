import { Problem } from '@gantry/contract/problems.ts';
import { expect, test } from 'vitest';
import { answerOf } from '../answer.ts';
import { outcomeOf } from './outcome.ts';

test('a call that was cancelled before any instance had it is cancelled, and a refused one is rejected', () => {
  expect(outcomeOf(answerOf(new Problem('cancelled')))).toBe('cancelled');
  expect(outcomeOf(answerOf(new Problem('forbidden')))).toBe('rejected');
  expect(outcomeOf(answerOf(new Problem('agent_unavailable')))).toBe('failed');
});
