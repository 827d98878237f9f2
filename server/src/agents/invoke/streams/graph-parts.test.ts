// The parts of a graph's stream under guardrails: no rule is passed by a word that comes in pieces.
import { expect, test } from 'vitest';
import { blocksWord, endless, guardedCall, hidesEmail } from '../../../testing/models/plain-rules.ts';
import { passedEvents } from './guarded-invocation.ts';

type Part = { mode: string; data: unknown; ns: string[] };

async function passed(parts: readonly Omit<Part, 'ns'>[]): Promise<{ parts: Part[]; last: string }> {
  const custom = parts.map((part) => ({ type: 'CUSTOM', name: 'langgraph', value: { ns: [], ...part } }));
  const events = [{ type: 'RUN_STARTED' }, ...custom, { type: 'RUN_FINISHED', result: {} }];
  async function* chunks() {
    for (const event of events) yield Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
  }
  const all = [];
  const guarded = guardedCall(hidesEmail, blocksWord);
  for await (const event of passedEvents(guarded, chunks(), endless)) all.push(event);
  const kept = all.filter(({ name }) => name === 'langgraph').map(({ value }) => value as Part);
  return { parts: kept, last: String(all.at(-1)?.['type']) };
}

const chunk = (said: object) => ({
  mode: 'messages',
  data: [{ type: 'AIMessageChunk', id: 'm', content: '', tool_call_chunks: [], ...said }, { langgraph_node: 'say' }],
});
const messageIn = ({ data }: Part) => (data as [Record<string, unknown>])[0];

test('a value in pieces of a message is hidden, and the text before it is not', async () => {
  const pieces = ['ask eve@ex', 'ample.com', ' now'].map((content) => chunk({ content }));
  const { parts } = await passed([...pieces, { mode: 'values', data: { said: 'ask eve@example.com now' } }]);
  const texts = parts.filter(({ mode }) => mode === 'messages').map((part) => messageIn(part)['content']);
  expect(texts.join('')).toBe('ask [EMAIL_1] now');
  expect(parts.at(-1)).toMatchObject({ mode: 'values', data: { said: 'ask [EMAIL_1] now' } });
});

test('pieces of blocks, of tools and what repeats them are hidden too', async () => {
  const { parts } = await passed([
    chunk({ content: [{ type: 'text', index: 0, text: 'to eve@' }] }),
    chunk({ content: [{ type: 'text', index: 0, text: 'example.com' }] }),
    chunk({ tool_call_chunks: [{ name: 'mail', id: 'c', index: 0, args: '{"to": "eve@' }] }),
    chunk({
      tool_call_chunks: [{ name: null, id: null, index: 0, args: 'example.com"}' }],
      additional_kwargs: { tool_calls: [{ function: { arguments: 'example.com"}' } }] },
      tool_calls: [{ name: '', args: {}, id: null }],
    }),
    { mode: 'updates', data: { say: { to: 'eve@example.com' } } },
  ]);
  const printed = JSON.stringify(parts);
  expect(printed).not.toMatch(/eve@|example\.com/);
  expect(printed).toContain('[EMAIL_1]');
  // The name of the tool comes with the first piece.
  expect(parts.map((part) => (part.mode === 'messages' ? messageIn(part)['tool_call_chunks'] : []))).toContainEqual([
    { name: 'mail', id: 'c', index: 0, args: '' },
  ]);
});

test('the pieces of two models in events of langchain are hidden, also when they come in turns', async () => {
  const streamed = (run_id: string, content: string) => ({
    mode: 'events',
    data: {
      event: 'on_chat_model_stream',
      run_id,
      data: { chunk: { type: 'AIMessageChunk', content, tool_calls: [{ args: content }] } },
    },
  });
  const { parts } = await passed([
    streamed('a', 'ask eve@ex'),
    streamed('b', 'or bob@ex'),
    { mode: 'events', data: { event: 'on_chain_start', run_id: 'c', data: { input: { said: 'eve@example.com' } } } },
    chunk({ content: 'ask eve@ex' }),
    streamed('a', 'ample.com'),
    streamed('b', 'ample.com now'),
    { mode: 'events', data: { event: 'on_chat_model_end', run_id: 'a', data: {} } },
    chunk({ content: 'ample.com' }),
  ]);
  const printed = JSON.stringify(parts);
  expect(printed).not.toMatch(/eve@|bob@|example\.com/);
  const textOf = (run_id: string, among = parts) =>
    among
      .map(({ data }) => data as { run_id?: string; data?: { chunk?: { content: string } } })
      .filter((data) => data.run_id === run_id)
      .map(({ data }) => data?.chunk?.content ?? '')
      .join('');
  expect([textOf('a'), textOf('b')]).toEqual(['ask [EMAIL_1]', 'or [EMAIL_2] now']);
  const ends = parts.findIndex(({ data }) => (data as { event?: string }).event === 'on_chat_model_end');
  expect(textOf('a', parts.slice(0, ends))).toBe('ask [EMAIL_1]');
});

test('a blocked word in pieces ends the stream', async () => {
  const { parts, last } = await passed([chunk({ content: 'a forbid' }), chunk({ content: 'den word' })]);
  expect(last).toBe('RUN_ERROR');
  expect(JSON.stringify(parts)).not.toContain('den');
});

test('a whole message is checked as a whole', async () => {
  const { parts } = await passed([{ mode: 'messages', data: [{ type: 'tool', content: 'eve@example.com' }, {}] }]);
  expect(parts).toMatchObject([{ data: [{ content: '[EMAIL_1]' }, {}] }]);
});
