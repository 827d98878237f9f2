// The counts of an answer as classes of a price: no token in two of them, and every count has a cost.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costOf } from '../prices/cost.ts';
import { inputClasses, outputClasses, type Price, type Usage } from '../prices/rates.ts';
import { chatCompletions } from './chat-completions.ts';
import { embeddings } from './embeddings.ts';
import { generateContent } from './gemini.ts';
import { countTokens, messages } from './messages.ts';
import { ollamaChat } from './ollama.ts';
import { responses } from './responses.ts';
import type { Json, Wire } from './wire.ts';

const usageOf = (wire: Wire, answer: Json): Usage | undefined => {
  const counts = wire.countsIn(answer);
  return counts && wire.usageOf(counts);
};
const withoutZeros = (usage: Usage | undefined) =>
  usage && Object.fromEntries(Object.entries(usage).filter(([, tokens]) => tokens > 0));

test.each<[string, Wire, Json, Json | undefined]>([
  [
    'a chat',
    chatCompletions,
    { usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 } },
    { input: 20, output: 10 },
  ],
  [
    'a chat with everything',
    chatCompletions,
    {
      usage: {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 30, audio_tokens: 7, image_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 20, audio_tokens: 10 },
      },
    },
    {
      input: 20,
      cached_input: 40,
      cache_write: 30,
      input_audio: 7,
      input_image: 3,
      output: 20,
      output_reasoning: 20,
      output_audio: 10,
    },
  ],
  [
    'a chat whose reasoning is beside the output',
    chatCompletions,
    {
      usage: {
        prompt_tokens: 20,
        completion_tokens: 10,
        total_tokens: 130,
        completion_tokens_details: { reasoning_tokens: 100 },
      },
    },
    { input: 20, output: 10, output_reasoning: 100 },
  ],
  [
    'a response',
    responses,
    {
      object: 'response',
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 60 },
        output_tokens: 50,
        output_tokens_details: { reasoning_tokens: 20 },
        total_tokens: 150,
      },
    },
    { input: 40, cached_input: 60, output: 30, output_reasoning: 20 },
  ],
  [
    'the end of a streamed response',
    responses,
    { type: 'response.incomplete', response: { usage: { input_tokens: 5, output_tokens: 3 } } },
    { input: 5, output: 3 },
  ],
  ['a response that has no counts yet', responses, { type: 'response.created', response: { usage: null } }, undefined],
  ['vectors', embeddings, { usage: { prompt_tokens: 9, total_tokens: 9 } }, { input: 9 }],
  [
    'a message with a cache',
    messages,
    {
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 1000,
        cache_creation_input_tokens: 300,
        cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
        output_tokens: 50,
        output_tokens_details: { thinking_tokens: 30 },
        server_tool_use: { web_search_requests: 2 },
      },
    },
    { input: 10, cached_input: 1000, cache_write: 100, cache_write_1h: 200, output: 50, web_searches: 2 },
  ],
  [
    'a message that counts only the parts of the cache',
    messages,
    { usage: { input_tokens: 1, cache_creation: { ephemeral_1h_input_tokens: 9 }, output_tokens: 1 } },
    { input: 1, cache_write_1h: 9, output: 1 },
  ],
  [
    'a message after a compaction',
    messages,
    {
      usage: {
        input_tokens: 10,
        output_tokens: 5,
        iterations: [
          { type: 'compaction', input_tokens: 1000, cache_read_input_tokens: 7, output_tokens: 100 },
          { type: 'message', input_tokens: 10, output_tokens: 5 },
        ],
      },
    },
    { input: 1010, cached_input: 7, output: 105 },
  ],
  [
    'the start of a streamed message',
    messages,
    { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } },
    undefined,
  ],
  [
    'an answer of Gemini with everything',
    generateContent,
    {
      usageMetadata: {
        promptTokenCount: 100,
        cachedContentTokenCount: 40,
        toolUsePromptTokenCount: 7,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 30,
        totalTokenCount: 157,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 70 },
          { modality: 'AUDIO', tokenCount: 30 },
        ],
        cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 10 }],
      },
    },
    { input: 47, cached_input: 30, cached_input_audio: 10, input_audio: 20, output: 20, output_reasoning: 30 },
  ],
  [
    'an answer of Gemini that ended while it thought',
    generateContent,
    { usageMetadata: { promptTokenCount: 10, thoughtsTokenCount: 5, totalTokenCount: 15 } },
    { input: 10, output_reasoning: 5 },
  ],
  ['an answer of Ollama', ollamaChat, { done: true, prompt_eval_count: 7, eval_count: 3 }, { input: 7, output: 3 }],
  ['an answer of Ollama without its output', ollamaChat, { done: true, prompt_eval_count: 7 }, undefined],
  ['the start of a stream of Gemini', generateContent, { usageMetadata: { promptTokenCount: 10 } }, undefined],
  [
    'hostile counts of Gemini',
    generateContent,
    {
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: -1, thoughtsTokenCount: 1.5, totalTokenCount: 'x' },
    },
    undefined,
  ],
  ['a count of tokens', countTokens, { input_tokens: 14 }, {}],
  ['no counts', chatCompletions, { choices: [] }, undefined],
  ['half of the counts', chatCompletions, { usage: { prompt_tokens: 5 } }, undefined],
  ['negative counts', chatCompletions, { usage: { prompt_tokens: -5, completion_tokens: 1 } }, undefined],
  ['counts as text', messages, { usage: { input_tokens: '5', output_tokens: 1 } }, undefined],
  ['fractions', messages, { usage: { input_tokens: 0.5, output_tokens: 1 } }, undefined],
])('%s', (_, wire, answer, expected) => {
  expect(withoutZeros(usageOf(wire, answer))).toEqual(expected);
});

const flat: Price = {
  version: 'test',
  rates: {
    input: 1000,
    web_searches: 0,
    ...Object.fromEntries([...Object.keys(inputClasses), ...Object.keys(outputClasses)].map((name) => [name, 1000])),
  },
};
const number = fc.oneof(fc.nat({ max: 1_000_000 }), fc.constant(0), fc.constantFrom(null, undefined, -1, 1.5, '7', {}));
const detail = (...names: string[]) =>
  fc.option(fc.record(Object.fromEntries(names.map((name) => [name, number])), { requiredKeys: [] }), { nil: null });

describe('whatever a vendor counts, no token is charged twice, and each has a cost:', () => {
  test.each<[string, Wire, string, string]>([
    ['chat/completions', chatCompletions, 'prompt_tokens', 'completion_tokens'],
    ['responses', responses, 'input_tokens', 'output_tokens'],
  ])('%s', (_, wire, input_name, output_name) => {
    const counts = fc.record({
      [input_name]: number,
      [output_name]: number,
      total_tokens: number,
      [`${input_name}_details`]: detail('cached_tokens', 'cache_write_tokens', 'audio_tokens', 'image_tokens'),
      [`${output_name}_details`]: detail('reasoning_tokens', 'audio_tokens'),
    });
    fc.assert(
      fc.property(counts, (usage) => {
        const read = usageOf(wire, { usage });
        if (read === undefined) return;
        const said = Number(usage[input_name]) + Number(usage[output_name]);
        const total = typeof usage['total_tokens'] === 'number' ? usage['total_tokens'] : 0;
        expect(costOf(flat, read)).toBeGreaterThanOrEqual(said);
        expect(costOf(flat, read)).toBeLessThanOrEqual(Math.max(said, total));
      }),
    );
  });

  test('generateContent', () => {
    const modality = fc.constantFrom('TEXT', 'AUDIO', 'IMAGE', 'VIDEO', 'SMELL', 7);
    const details = fc.option(fc.array(fc.record({ modality, tokenCount: number }), { maxLength: 4 }), { nil: null });
    const counts = fc.record({
      promptTokenCount: number,
      candidatesTokenCount: number,
      thoughtsTokenCount: number,
      toolUsePromptTokenCount: number,
      cachedContentTokenCount: number,
      totalTokenCount: number,
      promptTokensDetails: details,
      cacheTokensDetails: details,
      candidatesTokensDetails: details,
    });
    const whole = (value: unknown) => (Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0);
    fc.assert(
      fc.property(counts, (usageMetadata) => {
        const read = usageOf(generateContent, { usageMetadata });
        if (read === undefined) return;
        const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount, toolUsePromptTokenCount } = usageMetadata;
        const counted = [promptTokenCount, candidatesTokenCount, thoughtsTokenCount, toolUsePromptTokenCount];
        const said = counted.reduce<number>((sum, one) => sum + whole(one), 0);
        expect(costOf(flat, read)).toBeGreaterThanOrEqual(said);
        expect(costOf(flat, read)).toBeLessThanOrEqual(Math.max(said, whole(usageMetadata.totalTokenCount)));
      }),
    );
  });

  test('messages', () => {
    const counts = fc.record({
      input_tokens: number,
      output_tokens: number,
      cache_read_input_tokens: number,
      cache_creation_input_tokens: number,
      cache_creation: detail('ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'),
    });
    const whole = (value: unknown) => (Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0);
    fc.assert(
      fc.property(counts, (usage) => {
        const read = usageOf(messages, { usage });
        if (read === undefined) return;
        const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens: all } = usage;
        const parts = Object.values(usage.cache_creation ?? {}).reduce<number>((sum, one) => sum + whole(one), 0);
        const isSaid = Number.isSafeInteger(all) && Number(all) >= 0;
        const beside = whole(cache_read_input_tokens) + (isSaid ? Number(all) : parts);
        expect(costOf(flat, read)).toBe(whole(input_tokens) + whole(output_tokens) + beside);
      }),
    );
  });
});
