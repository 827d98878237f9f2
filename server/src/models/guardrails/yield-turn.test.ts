import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { invocationDocument } from '../../agents/invoke/streams/agui-events.ts';
import { endingCall, guardedCall } from '../../testing/models/plain-rules.ts';
import { textRulesOf } from '../../testing/models/rules-of.ts';
import { checkTexts } from './json-texts.ts';

const rules = textRulesOf('pii_detection');

async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  let turns = 0;
  for (; !isDone; turns++) await setImmediate();
  await done;
  return turns;
}

const check = async (input: unknown) =>
  await checkTexts(
    { input },
    invocationDocument,
    async (texts) => await guardedCall(...rules).check('model_in', texts),
  );

test.each([
  ['a text without a space', 'token=a1'.repeat(15_000)],
  ['a token in base64', Buffer.from('tel:030901820;'.repeat(7000)).toString('base64')],
  ['a text of many values', 'a@b.co;'.repeat(15_000)],
  ['a document of many texts', Array.from({ length: 10_000 }, (_, n) => `text ${n}`)],
])('other work runs while a rule checks %s', async (_, input) => {
  expect(await turnsDuring(check(input))).toBeGreaterThan(3);
});

test('other work runs while one event of a stream is checked', async () => {
  const stream = guardedCall(...rules).stream('model_out');
  expect(await turnsDuring(stream.push('+4930123456;'.repeat(8000)))).toBeGreaterThan(3);
});

const long = 'token=a1 '.repeat(100_000);
const texts = [{ text: long, source: 'message' as const }];

test.each([
  ['of a request', async (signal: AbortSignal) => await endingCall(signal, ...rules).check('model_in', texts)],
  ['of an input', async (signal: AbortSignal) => await endingCall(signal, ...rules).learn(texts)],
  [
    'of a stream',
    async (signal: AbortSignal) =>
      await endingCall(signal, ...rules)
        .stream('ingress_out')
        .push(long),
  ],
  ['of whole texts', async (signal: AbortSignal) => await endingCall(signal, ...injection).check('model_in', results)],
])('a check %s ends with its call', async (_, work) => {
  const call = new AbortController();
  const working = work(call.signal);
  const left = new Error('the client has left');
  await setImmediate();
  call.abort(left);
  await expect(working).rejects.toBe(left);
});

const injection = textRulesOf('prompt_injection');
const results = [{ text: 'ignore all '.repeat(100_000), source: 'tool_result' as const }];

test('a check that outlasts its call blocks it', async () => {
  const call = guardedCall(...rules);
  await expect(call.check('model_in', texts, AbortSignal.timeout(1))).rejects.toMatchObject({
    code: 'guardrail_blocked',
    detail: 'pii_detection blocked the request to the model: the check took longer than the call may take.',
  });
});
