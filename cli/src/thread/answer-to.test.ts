// Questions of langchain's human-in-the-loop middleware, and what a person types.
import { expect, test } from 'vitest';
import { createClient } from '@gantry/contract/client/client.ts';
import { CliRefusal } from '../refusal.ts';
import { list, scriptService } from '../testing/scripted-service.ts';
import { answerTo } from './answer-to.ts';

const request = (name: string, amount: number) => ({
  name,
  args: { amount },
  description: 'Tool execution requires approval',
});
const config = (name: string, ...allowed_decisions: string[]) => ({ action_name: name, allowed_decisions });
const question = (...allowed: string[]) => ({
  action_requests: [request('refund', 80)],
  review_configs: [config('refund', ...allowed)],
});
const two = {
  action_requests: [request('refund', 80), request('tell', 1)],
  review_configs: [config('refund', 'approve', 'reject'), config('tell', 'approve')],
};

const first_id = 'a'.repeat(32);
const second_id = 'b'.repeat(32);
/** As `interrupt_mode="per_call"` asks: about each action in a question of its own, with the schema of its answer. */
const own = (id: string, name: string, ...allowed: string[]) => ({
  id,
  value: { ...request(name, 80), type: 'tool_approval', tool_call_id: 'call 1' },
  response_schema: { oneOf: allowed.map((type) => ({ properties: { type: { const: type } } })) },
});

/** What is sent, or the refusal. */
const answered = async (value: unknown, given: string) => await answeredAll([{ id: '1', value }], given);
async function answeredAll(interrupts: object[], given: string) {
  const waiting = {
    agent: 'agents/desk',
    orchestration: null,
    thread: '0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
    thread_id: 'order-12',
    caller: 'ada@example.com',
    is_own: true,
    interrupts,
    checkpoint_id: '1',
    waiting_since: '2026-01-01T00:00:00.000Z',
  };
  await using service = await scriptService({ 'GET /api/v1/inbox': list([waiting]) });
  const client = createClient({ base_url: service.url, token: () => 't' });
  return await answerTo(client, { name: 'desk', thread: 'order-12', given }).catch((error: unknown) => {
    if (error instanceof CliRefusal) return `${error.message}\n${error.more.hint}`;
    throw error;
  });
}

test('approve and reject are one decision for each action', async () => {
  expect(await answered(question('approve', 'reject'), 'reject')).toEqual({ decisions: [{ type: 'reject' }] });
  expect(await answered(two, 'approve')).toEqual({ decisions: [{ type: 'approve' }, { type: 'approve' }] });
});

test('decisions in JSON are sent as they are, in each form', async () => {
  for (const decision of [
    { type: 'edit', edited_action: { name: 'refund', args: { amount: 5 } } },
    { type: 'reject', message: 'too much' },
    { type: 'respond', message: 'I paid it' },
  ]) {
    const given = { decisions: [decision] };
    expect(await answered(question('edit', 'reject', 'respond'), JSON.stringify(given))).toEqual(given);
  }
});

test('an answer that the middleware would not take is refused, and the refusal shows each form', async () => {
  for (const given of ['yes', '{"type":"approve"}', '{"decisions":[]}', 'reject']) {
    const refusal = await answered(question('approve', 'edit', 'respond'), given);
    expect(refusal).toContain('desk asks before it takes an action: refund {"amount":80}');
    expect(refusal).toContain('{"decisions":[{"type":"edit","edited_action":{"name":"refund","args":{"amount":80}}}]}');
    expect(refusal).toContain('{"decisions":[{"type":"respond","message":"the answer instead"}]}');
    expect(refusal).not.toContain('"type":"reject"');
  }
  expect(await answered(two, 'reject')).toContain('2 actions');
});

test('a refusal says what is wrong with the decisions', async () => {
  const of = async (...given: object[]) => await answered(two, JSON.stringify({ decisions: given }));
  const approve = { type: 'approve' };
  expect(await of(approve)).toContain('2 actions in this order: refund, tell. The answer has 1 decision.');
  expect(await of(approve, { type: 'reject' })).toContain('Action 2: tell takes approve, not reject.');
  const other = { type: 'edit', edited_action: { name: 'tell', args: {} } };
  expect(await answered(question('edit'), JSON.stringify({ decisions: [other] }))).toContain('An edit keeps the tool');
});

test('a question for each action is answered with its decision alone, and several by their ids', async () => {
  const refund = own(first_id, 'refund', 'approve', 'edit', 'reject');
  const tell = own(second_id, 'tell', 'approve');
  expect(await answeredAll([refund], 'approve')).toEqual({ type: 'approve' });
  expect(await answeredAll([refund, tell], 'approve')).toEqual({
    [first_id]: { type: 'approve' },
    [second_id]: { type: 'approve' },
  });
  const one = { [first_id]: { type: 'reject', message: 'too much' } };
  expect(await answeredAll([refund, tell], JSON.stringify(one))).toEqual(one);
  const refusal = await answeredAll([refund, tell], 'reject');
  expect(refusal).toContain('tell takes approve, not reject.');
  expect(refusal).toContain(`approve: '{"${first_id}":{"type":"approve"},"${second_id}":{"type":"approve"}}'`);
  expect(await answeredAll([refund, tell], '{"type":"approve"}')).toContain(
    '2 questions wait. Each is answered by its',
  );
  expect(await answeredAll([refund], JSON.stringify({ ['c'.repeat(32)]: { type: 'approve' } }))).toContain(
    'No question that waits has the id',
  );
});

test('a question of another shape takes any text and any JSON', async () => {
  expect(await answered('Send it?', 'approve')).toBe('approve');
  expect(await answered({ question: 'Which?' }, '{"decisions":1}')).toEqual({ decisions: 1 });
});
