// Which call a question of a server belongs to, where the protocol does not say it: a transport with one stream for all calls, in the generation of 2025.
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { serverQuestions, type CallOnConnection, type FormAnswer } from './server-questions.ts';

const form = { message: 'Really? key-of-the-team', requestedSchema: { type: 'object' as const, properties: {} } };

async function connected({ isShared }: { isShared: boolean }) {
  const asker = new McpServer({ name: 'asker', version: '1.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'gantry', version: '1.0.0' }, { capabilities: { elicitation: { form: {} } } });
  const conceal = (text: string) => text.replaceAll('key-of-the-team', '[credential]');
  const during = serverQuestions(client, { isShared, conceal });
  await asker.connect(far);
  await client.connect(near);
  // oxlint-disable-next-line typescript/no-deprecated -- servers of 2025 ask so
  const ask = async () => await asker.server.elicitInput(form);
  /** Calls that are under way while `work` runs outside of them, as the messages of a stream come. */
  const whileOpen = async <T>(calls: CallOnConnection[], work: () => Promise<T>): Promise<T> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const open = calls.map(async (one) => await during(one, async () => await promise));
    const done = await work();
    resolve();
    await Promise.all(open);
    return done;
  };
  return { ask, whileOpen };
}

function call() {
  const asked: string[] = [];
  const counted = { declined: 0 };
  const answer = async ({ message }: { message: string }): Promise<FormAnswer> => {
    asked.push(message);
    return await Promise.resolve({ action: 'accept', content: {} });
  };
  return { answer, asked, counted, onDeclined: () => (counted.declined += 1) };
}

test('the only call of a connection is the one that asks, and its credential stays out of the question', async () => {
  const { whileOpen, ask } = await connected({ isShared: false });
  const only = call();
  expect(await whileOpen([only], ask)).toMatchObject({ action: 'accept' });
  expect(only.asked).toEqual(['Really? [credential]']);
  expect(await ask()).toMatchObject({ action: 'decline' });
  expect(only.counted.declined).toBe(0);
});

test('of two calls at once nobody knows which one asks, so the question is declined and counted by both', async () => {
  const { whileOpen, ask } = await connected({ isShared: false });
  const [one, two] = [call(), call()];
  expect(await whileOpen([one, two], ask)).toMatchObject({ action: 'decline' });
  expect([one.asked, two.asked]).toEqual([[], []]);
  expect([one.counted.declined, two.counted.declined]).toEqual([1, 1]);
});

test('on a connection where callers meet, a question reaches nobody', async () => {
  const { whileOpen, ask } = await connected({ isShared: true });
  const only = call();
  expect(await whileOpen([only], ask)).toMatchObject({ action: 'decline' });
  expect(only.asked).toEqual([]);
  expect(only.counted.declined).toBe(1);
});
