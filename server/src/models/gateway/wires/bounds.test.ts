// What each format promises about a request before it is sent: its bound, its parts without one, and its refusals.
import { describe, expect, test } from 'vitest';
import { Problem } from '@gantry/contract/problems.ts';
import type { Model } from '../model.ts';
import { chatCompletions } from './chat-completions.ts';
import { embeddings } from './embeddings.ts';
import { embedContent } from './gemini-embeddings.ts';
import { countGeminiTokens } from './gemini-tokens.ts';
import { generateContent } from './gemini.ts';
import { countTokens, messages } from './messages.ts';
import { ollamaEmbed } from './ollama-embeddings.ts';
import { ollamaChat, ollamaGenerate } from './ollama.ts';
import { responses } from './responses.ts';
import type { AskedOfModel, Json, Wire } from './wire.ts';

const said = [{ role: 'user', content: 'hello' }];
const spoken = [{ role: 'user', parts: [{ text: 'hello' }] }];
/** A plain request of each format. */
const plain = {
  'chat/completions': [chatCompletions, { model: 'm', messages: said }],
  responses: [responses, { model: 'm', input: said }],
  embeddings: [embeddings, { model: 'm', input: 'hello' }],
  messages: [messages, { model: 'm', max_tokens: 100, messages: said }],
  count_tokens: [countTokens, { model: 'm', messages: said }],
  generateContent: [generateContent, { model: 'm', contents: spoken }],
  embedContent: [embedContent, { model: 'm', content: spoken[0] }],
  '/api/chat': [ollamaChat, { model: 'm', messages: said }],
  '/api/generate': [ollamaGenerate, { model: 'm', prompt: 'hello' }],
  '/api/embed': [ollamaEmbed, { model: 'm', input: 'hello' }],
  countTokens: [countGeminiTokens, { model: 'm', contents: spoken }],
} as const satisfies Record<string, [Wire, Json]>;
type Name = keyof typeof plain;
const names = Object.keys(plain) as Name[]; // of the literal above

const counts = (name: Name) => name === 'count_tokens' || name === 'countTokens';

const read = (name: Name, more: Json = {}): AskedOfModel => {
  const [wire, body] = plain[name];
  const asked: Json = { ...body, ...more };
  return wire.read(asked, JSON.stringify(asked));
};
const refusal = (name: Name, more: Json): Problem | undefined => {
  try {
    read(name, more);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
};

describe.each(names)('%s', (name) => {
  test('a plain request has a bound', () => {
    const { model, unbounded, input_tokens } = read(name);
    expect({ model, unbounded }).toEqual({ model: 'm', unbounded: [] });
    if (!counts(name)) expect(input_tokens).toBeGreaterThan(JSON.stringify(plain[name][1]).length);
  });

  test('an unknown member has no bound, and one that asks for nothing changes nothing', () => {
    if (!counts(name)) expect(read(name, { turbo: true }).unbounded).toEqual(['turbo']);
    expect(read(name, { turbo: null, background: false }).unbounded).toEqual([]);
  });

  test.each([
    'api_key apiKey api_base base_url baseURL api_version organization authorization extra_headers extra_body url',
    'aws_access_key_id vertex_credentials endpoint headers proxy azure_endpoint password aws_secret_access_key',
  ])('an address or a credential is refused: %s', (fields) => {
    for (const field of fields.split(' '))
      expect([field, refusal(name, { [field]: 'https://elsewhere.example' })?.errors[0]?.pointer]).toEqual([
        field,
        `/${field}`,
      ]);
    for (const harmless of ['user', 'metadata', 'prompt_cache_key', 'max_tokens'])
      expect(refusal(name, { [harmless]: harmless === 'max_tokens' ? 100 : 'x' })).toBeUndefined();
  });

  test('a member that chooses a model or who serves it is refused, with or without a budget', () => {
    const fields =
      'models fallbacks fallback_models context_window_fallbacks content_policy_fallbacks route provider provider_options providerOptions ' +
      'preset model_list litellm_params custom_llm_provider router_settings specific_deployment deployment_id virtual_key user_config';
    for (const field of fields.split(' ')) {
      expect([field, refusal(name, { [field]: ['other'] })?.errors[0]?.pointer]).toEqual([field, `/${field}`]);
      expect([field, refusal(name, { [field]: null })]).toEqual([field, undefined]);
    }
  });

  test.each([
    { model: undefined },
    { model: 5 },
    { model: '' },
    { model: 'x'.repeat(201) },
    { messages: undefined, input: undefined, contents: undefined, content: undefined },
    { messages: [], input: [], contents: [], content: { parts: [] } },
    { messages: ['x'], input: [null], contents: ['x'], content: { parts: ['x'] } },
    { messages: { role: 'user' }, input: { role: 'user' }, contents: { role: 'user' }, content: [] },
  ])('a body of a wrong type is refused: %j', (more) => {
    // A prompt that the vendor keeps can stand for the input of a response.
    if (name === 'responses' && 'input' in more && more.input === undefined) return;
    // Without a prompt, Ollama loads the model.
    if (name === '/api/generate' && !('model' in more)) return;
    expect(refusal(name, more)).toMatchObject({ code: 'invalid' });
  });
});

const image = 'A'.repeat(400_000);
const data = `data:image/png;base64,${image}`;

test.each<[string, Name, Json, string[]]>([
  ['a tool that the client runs', 'chat/completions', { tools: [{ type: 'function', function: { name: 'f' } }] }, []],
  ['a hosted tool', 'chat/completions', { tools: [{ type: 'web_search' }] }, ['`web_search`']],
  ['a search', 'chat/completions', { web_search_options: {} }, ['web_search_options']],
  [
    'sound',
    'chat/completions',
    { messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] },
    ['`input_audio`'],
  ],
  ['a file', 'chat/completions', { messages: [{ role: 'user', content: [{ type: 'file' }] }] }, ['`file`']],
  ['an earlier sound', 'chat/completions', { messages: [{ role: 'assistant', audio: { id: 'a' } }] }, ['audio']],
  [
    'a part without a type',
    'chat/completions',
    { messages: [{ role: 'user', content: [{}] }] },
    ['`a part without a type`'],
  ],
  ['a dearer tier', 'chat/completions', { service_tier: 'priority' }, ['service_tier "priority"']],
  ['a dearer tier', 'responses', { service_tier: 'scale' }, ['service_tier "scale"']],
  ...['chat/completions', 'responses'].flatMap((name): [string, Name, Json, string[]][] => [
    ['a known tier', name as Name, { service_tier: 'flex' }, []],
    ['sampling', name as Name, { top_k: 5, min_p: 0.1, guided_json: {}, chat_template_kwargs: {} }, []],
    ['a template of its own', name as Name, { chat_template: '{{ messages }}' }, ['chat_template']],
  ]),

  ['tools that the client runs', 'responses', { tools: [{ type: 'function' }, { type: 'custom' }] }, []],
  ...['web_search', 'file_search', 'code_interpreter', 'computer_use_preview', 'mcp', 'image_generation', 'shell'].map(
    (type): [string, Name, Json, string[]] => ['a hosted tool', 'responses', { tools: [{ type }] }, [`\`${type}\``]],
  ),
  ...['background', 'previous_response_id', 'conversation', 'prompt', 'context_management'].map(
    (member): [string, Name, Json, string[]] => ['input that we do not see', 'responses', { [member]: 'x' }, [member]],
  ),
  ['a file', 'responses', { input: [{ role: 'user', content: [{ type: 'input_file' }] }] }, ['`input_file`']],
  [
    'a file of a tool',
    'responses',
    { input: [{ type: 'function_call_output', output: [{ type: 'input_file' }] }] },
    ['`input_file`'],
  ],
  ['a reference', 'responses', { input: [{ type: 'item_reference', id: 'x' }] }, ['`item_reference`']],
  ['reasoning with its content', 'responses', { input: [{ type: 'reasoning', encrypted_content: 'x' }] }, []],
  [
    'reasoning by its id',
    'responses',
    { input: [{ type: 'reasoning', id: 'x', summary: [] }] },
    ['`reasoning` without `encrypted_content`'],
  ],
  [
    'a call and its result',
    'responses',
    { input: [{ type: 'function_call' }, { type: 'function_call_output', output: 'x' }] },
    [],
  ],

  ['token numbers', 'embeddings', { input: [[1, 2], [3]] }, []],
  ['an image', 'embeddings', { input: [{ image: 'x' }] }, ['an input other than text']],

  [
    'tools that the client runs',
    'messages',
    { tools: [{ name: 'f' }, { type: 'custom' }, { type: 'bash_20250124' }] },
    [],
  ],
  ...[
    'web_search_20250305',
    'web_fetch_20250910',
    'code_execution_20250825',
    'tool_search_tool_bm25_20251119',
    'mcp_toolset',
  ].map((type): [string, Name, Json, string[]] => [
    'a server tool',
    'messages',
    { tools: [{ type }] },
    [`\`${type}\``],
  ]),
  ...['mcp_servers', 'container', 'context_management', 'speed', 'inference_geo'].map(
    (member): [string, Name, Json, string[]] => ['a dearer way', 'messages', { [member]: 'x' }, [member]],
  ),
  ['a document', 'messages', { messages: [{ role: 'user', content: [{ type: 'document' }] }] }, ['`document`']],
  [
    'a document of a tool',
    'messages',
    { messages: [{ role: 'user', content: [{ type: 'tool_result', content: [{ type: 'document' }] }] }] },
    ['`document`'],
  ],
  ['a document of the system', 'messages', { system: [{ type: 'document' }] }, ['`document`']],
  ['functions', 'generateContent', { tools: [{ functionDeclarations: [{ name: 'f' }] }] }, []],
  ...['googleSearch', 'googleMaps', 'urlContext', 'codeExecution', 'fileSearch', 'mcpServers', 'computerUse'].map(
    (name): [string, Name, Json, string[]] => [
      'a tool of the vendor',
      'generateContent',
      { tools: [{ [name]: {} }] },
      [name],
    ],
  ),
  ['a cache of the vendor', 'generateContent', { cachedContent: 'cachedContents/x' }, ['cachedContent']],
  ['a dearer tier', 'generateContent', { serviceTier: 'priority' }, ['serviceTier "priority"']],
  ['a known tier', 'generateContent', { serviceTier: 'SERVICE_TIER_FLEX' }, []],
  [
    'an answer as an image',
    'generateContent',
    { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } },
    ['answers as IMAGE'],
  ],
  ['a setting of speech', 'generateContent', { generationConfig: { speechConfig: {} } }, ['speechConfig']],
  [
    'calls and thoughts',
    'generateContent',
    {
      contents: [
        {
          parts: [{ functionCall: {} }, { functionResponse: {} }, { text: 'x', thought: true, thoughtSignature: 'x' }],
        },
      ],
    },
    [],
  ],
  ['options', '/api/chat', { options: { seed: 1, num_ctx: 4096, num_predict: -1 }, think: true, keep_alive: '5m' }, []],
  ['an unknown option', '/api/chat', { options: { warp: 9 } }, ['warp']],
  ['a template of its own', '/api/generate', { template: '{{ .Prompt }}' }, ['template']],
  ['an unknown part', 'generateContent', { contents: [{ parts: [{ hologram: {} }] }] }, ['hologram']],
  [
    'an image as input of a vector',
    'embedContent',
    { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'x' } }] } },
    ['an input other than text'],
  ],

  [
    'thinking',
    'messages',
    { messages: [{ role: 'assistant', content: [{ type: 'thinking' }, { type: 'redacted_thinking' }] }] },
    [],
  ],
])('%s in %s: %j has the parts without a bound %j', (_, name, more, unbounded) => {
  expect(read(name, more).unbounded).toEqual(unbounded);
});

test.each<[string, Name, Json]>([
  [
    'an inline image',
    'chat/completions',
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: data } }] }] },
  ],
  [
    'an address as text',
    'chat/completions',
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: data }] }] },
  ],
  ['an inline image', 'responses', { input: [{ role: 'user', content: [{ type: 'input_image', image_url: data }] }] }],
  [
    'an image of a tool',
    'responses',
    { input: [{ type: 'function_call_output', output: [{ type: 'input_image', image_url: data }] }] },
  ],
  [
    'an inline image',
    'messages',
    { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'base64', data: image } }] }] },
  ],
  [
    'an image of a tool',
    'messages',
    {
      messages: [
        { role: 'user', content: [{ type: 'tool_result', content: [{ type: 'image', source: { data: image } }] }] },
      ],
    },
  ],
  [
    'an inline image',
    'generateContent',
    { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: image } }] }] },
  ],
  ['an image', '/api/chat', { messages: [{ role: 'user', images: [image] }] }],
  [
    'an image of a tool',
    'generateContent',
    {
      contents: [
        { parts: [{ functionResponse: { parts: [{ inlineData: { mimeType: 'image/png', data: image } }] } }] },
      ],
    },
  ],
])('%s in %s is bounded by the tokens of an image, not by its bytes', (_, name, more) => {
  const { input_tokens, unbounded } = read(name, more);
  expect(unbounded).toEqual([]);
  expect(input_tokens).toBeGreaterThan(50_000);
  expect(input_tokens).toBeLessThan(53_000);
});

test('a search of Anthropic has a bound when the request limits its uses, and fills a context for each', () => {
  const tool = { type: 'web_search_20250305', name: 'web_search' };
  expect(read('messages', { tools: [{ ...tool, max_uses: 3 }] })).toMatchObject({
    unbounded: [],
    web_searches: 3,
    contexts: 4,
  });
  expect(read('messages', { tools: [{ ...tool, max_uses: 101 }] }).unbounded).toEqual(['`web_search_20250305`']);
});

test('a sound, a video and a PDF in a call of Gemini fill the context, at the rates of their kinds', () => {
  const of = (mimeType: string) =>
    read('generateContent', { contents: [{ parts: [{ inlineData: { mimeType, data: image } }] }] });
  for (const mime of ['audio/wav', 'video/mp4', 'application/pdf', ''])
    expect([mime, of(mime).files, of(mime).unbounded]).toEqual([mime, 1, []]);
  expect(of('audio/wav').input_classes).toContain('input_audio');
  expect(of('video/mp4').input_classes).toContain('input_video');
  expect(of('').input_classes).toContain('input_audio');
  expect(of('application/pdf').input_classes).not.toContain('input_audio');
  expect(of('text/plain')).toMatchObject({ files: 0, images: 0 });
  expect(of('text/plain').input_tokens).toBeGreaterThan(image.length);
});

test('thoughts of Gemini count against the limit, and several candidates have one each', () => {
  const thinkingConfig = { thinkingBudget: 2000 };
  expect(read('generateContent', { generationConfig: { thinkingConfig } }).min_output_tokens).toBe(2001);
  const generationConfig = { thinkingConfig, maxOutputTokens: 500, candidateCount: 3 };
  expect(read('generateContent', { generationConfig })).toMatchObject({
    min_output_tokens: 500,
    output_tokens: 500,
    choices: 3,
  });
});

test('thinking needs a limit above its budget, and a prompt for an hour its own rate', () => {
  expect(read('messages', { thinking: { type: 'enabled', budget_tokens: 2000 } }).min_output_tokens).toBe(2001);
  expect(read('messages').input_classes).not.toContain('cache_write_1h');
  const cached = { system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } }] };
  expect(read('messages', cached).input_classes).toContain('cache_write_1h');
});

const model = {
  upstream_model: 'theirs',
  max_tokens_field: 'max_completion_tokens',
  takes_stream_options: true,
} as unknown as Model; // what the formats read of it

test.each<[Name, Json, Partial<Model>, boolean, Json]>([
  ['chat/completions', {}, {}, true, { max_completion_tokens: 50 }],
  ['chat/completions', { max_tokens: 90, max_completion_tokens: 80 }, {}, true, { max_completion_tokens: 50 }],
  ['chat/completions', { max_completion_tokens: 80 }, { max_tokens_field: 'max_tokens' }, true, { max_tokens: 50 }],
  [
    'chat/completions',
    { max_completion_tokens: 80 },
    { max_tokens_field: 'max_tokens' },
    false,
    { max_completion_tokens: 80 },
  ],
  ['chat/completions', { stream: true }, {}, false, { stream: true, stream_options: { include_usage: true } }],
  [
    'chat/completions',
    { stream: true, stream_options: { include_usage: false, x: 1 } },
    {},
    false,
    { stream: true, stream_options: { include_usage: true, x: 1 } },
  ],
  [
    'chat/completions',
    { stream: true, stream_options: { include_usage: true } },
    { takes_stream_options: false },
    false,
    { stream: true },
  ],
  ['responses', { max_output_tokens: 90 }, {}, true, { max_output_tokens: 50 }],
  ['responses', { stream: true }, {}, false, { stream: true }],
  ['embeddings', {}, {}, true, {}],
  ['messages', {}, {}, true, { max_tokens: 50 }],
  ['messages', {}, {}, false, { max_tokens: 100 }],
  ['count_tokens', {}, {}, true, {}],
  ['generateContent', {}, {}, true, { model: undefined, generationConfig: { maxOutputTokens: 50 } }],
  [
    'generateContent',
    { generationConfig: { topK: 3 } },
    {},
    false,
    { model: undefined, generationConfig: { topK: 3 } },
  ],
  ['embedContent', {}, {}, true, { model: 'models/theirs' }],
  ['/api/chat', { options: { num_predict: 90, seed: 1 } }, {}, true, { options: { num_predict: 50, seed: 1 } }],
  ['/api/generate', {}, {}, false, {}],
  ['countTokens', {}, {}, true, { model: undefined }],
])('%s %j for %j, limited: %s, is sent with %j', (name, more, special, is_limited, sent) => {
  const [wire, body] = plain[name];
  const { max_tokens: _, ...rest } = { max_tokens: 0, ...body };
  const written = wire.write({ ...body, ...more }, { ...model, ...special }, { output_tokens: 50, is_limited });
  expect(JSON.parse(JSON.stringify(written))).toEqual(
    JSON.parse(JSON.stringify({ ...rest, model: 'theirs', ...sent })),
  );
});
