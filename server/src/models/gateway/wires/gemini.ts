// Gemini's generateContent, whole and as a stream. The model is in the path.
import { z } from 'zod';
import type { InputClass } from '../prices/rates.ts';
import { googleDocument } from './document-forms.ts';
import { geminiEvents, printGeminiBreak } from './gemini-events.ts';
import { partsOf, refuseKept, type GeminiPart } from './gemini-parts.ts';
import { geminiUsage } from './gemini-usage.ts';
import {
  boundInput,
  invalid,
  isJson,
  listOf,
  membersOutside,
  refuseOwn,
  type AskedOfModel,
  type Json,
  type Wire,
} from './wire.ts';

export const generateContent: Wire = {
  kind: 'gemini',
  path: '/models/{model}:generateContent',
  passed_headers: [],
  read: (body, text) => read(body, text, { stream: false }),
  write: ({ model: _, ...body }, __, { output_tokens, is_limited, temperature }) => {
    const config = isJson(body['generationConfig']) ? body['generationConfig'] : {};
    const generationConfig = {
      ...(temperature !== undefined && { temperature }),
      ...config,
      ...(is_limited && { maxOutputTokens: output_tokens }),
    };
    return { ...body, ...(Object.keys(generationConfig).length > 0 && { generationConfig }) };
  },
  countsIn: ({ usageMetadata }) => (isJson(usageMetadata) ? usageMetadata : undefined),
  usageOf: geminiUsage,
  isOnlyUsage: () => false,
  isCut: ({ candidates }) => listOf(candidates).some((one) => isJson(one) && one['finishReason'] === 'MAX_TOKENS'),
  document: googleDocument,
  events: geminiEvents,
  printBreak: printGeminiBreak,
};

export const streamGenerateContent: Wire = {
  ...generateContent,
  path: '/models/{model}:streamGenerateContent',
  query: { alt: 'sse' },
  read: (body, text) => read(body, text, { stream: true }),
};

const content = z.object({ role: z.string().nullish(), parts: z.array(z.object({})).nullish() });
const tokens = z.int().min(0).max(100_000_000).nullish();
const shape = z.object({
  model: z.string().min(1).max(200),
  contents: z.array(content).min(1),
  systemInstruction: content.nullish(),
  tools: z.array(z.object({})).nullish(),
  generationConfig: z
    .object({
      maxOutputTokens: tokens,
      candidateCount: z.int().min(1).max(128).nullish(),
      // -1 lets the model choose.
      thinkingConfig: z.object({ thinkingBudget: z.int().min(-1).max(100_000_000).nullish() }).nullish(),
      responseModalities: z.array(z.string()).nullish(),
    })
    .nullish(),
});

const named = (names: string): ReadonlySet<string> => new Set(names.split(' '));

// Their cost is in the tokens of the input and the output.
const bounded = named(
  'model contents systemInstruction tools toolConfig safetySettings generationConfig labels serviceTier',
);
const bounded_settings = named(
  'maxOutputTokens candidateCount thinkingConfig responseModalities stopSequences temperature topP topK seed presencePenalty ' +
    'frequencyPenalty responseLogprobs logprobs responseMimeType responseSchema responseJsonSchema _responseJsonSchema mediaResolution',
);
const bounded_parts = named(
  'text thought thoughtSignature inlineData functionCall functionResponse executableCode codeExecutionResult videoMetadata ' +
    'mediaResolution partMetadata',
);
const choosing = ['routingConfig', 'modelConfig', 'modelSelectionConfig'];
// The table has the price of the standard tier, and flex costs less.
const tiers = named('standard flex unspecified');

function read(body: Json, text: string, { stream }: { stream: boolean }): AskedOfModel {
  refuseOwn(body);
  const parsed = shape.safeParse(body);
  if (!parsed.success) throw invalid(parsed.error.issues);
  const { model, contents, generationConfig } = parsed.data;
  const settings = isJson(body['generationConfig']) ? body['generationConfig'] : {};
  const chosen = choosing.find((name) => isJson(settings[name]));
  if (chosen !== undefined)
    throw invalid([
      { path: ['generationConfig', chosen], message: 'chooses a model, and the config of the model decides that' },
    ]);
  const parts = partsOf([...listOf(body['contents']), body['systemInstruction']]);
  refuseKept(parts);
  const images = parts.filter(({ kind }) => kind === 'image').map(({ data }) => data);
  const files = parts.filter(({ kind }) => kind === 'file').map(({ data }) => data);
  const limit = generationConfig?.maxOutputTokens ?? undefined;
  const thinking = generationConfig?.thinkingConfig?.thinkingBudget ?? 0;
  return {
    model,
    stream,
    ...boundInput(text, {
      images,
      files,
      messages: contents.length + 1,
      instructions:
        ['tools', 'toolConfig'].filter((name) => name in body).length + ('responseMimeType' in settings ? 1 : 0),
    }),
    images: images.length,
    files: files.length,
    web_searches: 0,
    contexts: 1,
    input_classes: classesOf(parts),
    // Thoughts count against the limit, and cost what the answer costs.
    output_tokens: limit === 0 ? undefined : limit,
    ...(thinking > 0 && { min_output_tokens: Math.min(thinking + 1, limit ?? Infinity) }),
    choices: generationConfig?.candidateCount ?? 1,
    unbounded: [
      ...membersOutside(bounded, body),
      ...membersOutside(bounded_settings, settings),
      ...parts.flatMap(({ part }) => membersOutside(bounded_parts, part)),
      ...listOf(body['tools']).flatMap((tool) =>
        isJson(tool) ? membersOutside(named('functionDeclarations'), tool) : [],
      ),
      ...(generationConfig?.responseModalities ?? [])
        .filter((kind) => kind.toUpperCase() !== 'TEXT')
        .map((kind) => `answers as ${kind.slice(0, 40)}`),
      ...unpricedTier(body['serviceTier']),
    ],
    addresses: [],
  };
}

function classesOf(parts: readonly GeminiPart[]): InputClass[] {
  const has = (type: string) => parts.some(({ mime }) => mime.startsWith(type));
  const known: InputClass[] = ['input', 'cached_input', 'input_image', 'cached_input_image'];
  // A video has sound.
  if (has('video/')) return [...known, 'input_video', 'input_audio', 'cached_input_audio'];
  return parts.some(({ kind, mime }) => kind === 'file' && mime !== 'application/pdf')
    ? [...known, 'input_audio', 'cached_input_audio']
    : known;
}

function unpricedTier(tier: unknown): string[] {
  if (tier === undefined || tier === null) return [];
  const name = JSON.stringify(tier)
    .toLowerCase()
    .replace(/^"(?:service_tier_)?(\w+)"$/, '$1');
  return tiers.has(name) ? [] : [`serviceTier ${JSON.stringify(tier).slice(0, 40)}`];
}
