// The service asks an embedding model of the catalogue for vectors of texts that an agent keeps. Vectors of two models mean nothing to each other, so no
// other model ever answers in its place.
import { Blocked } from '../../guardrails/guarded-call.ts';
import { unitVector } from '../../../ground/vectors/vectors.ts';
import { answeredWrong, askForHolder, modelForHolder, startOf, type ForHolder } from '../ask-for-holder.ts';
import type { Model } from '../model.ts';
import type { GatewayParts } from '../parts.ts';
import { embeddings } from '../wires/embeddings.ts';
import { batchEmbedContents } from '../wires/gemini-embeddings.ts';
import { isJson, listOf, type Json, type Wire } from '../wires/wire.ts';

/** The largest batch of Gemini, the smallest of those that vendors take. */
const most_of_request = 100;
/** Most models take 8,192 tokens, and no token is shorter than a byte. */
const most_bytes = 8000;
/** Somebody waits for it. */
const embed_ms = 10_000;

export interface Embedded {
  /** What made the vectors: the entry of the catalogue, the vendor's model and the dimensions. Only vectors of one maker are compared. Undefined without a
   * vector. */
  made_by: string | undefined;
  /** Each for the text at its place. Undefined for one that a guardrail has blocked. */
  vectors: (Float32Array | undefined)[];
}

/** Of one or more texts that are not empty; the first 8,000 bytes of each count. Throws the refusal. */
export async function embedTexts(gateway: GatewayParts, texts: readonly string[], asked: ForHolder): Promise<Embedded> {
  const model = await modelForHolder(gateway, asked, { type: 'embedding', makes: 'vectors' });
  const cut = texts.map((text) => startOf(text, Math.min(most_bytes, model.context_window_tokens ?? most_bytes)));
  const batches = Array.from({ length: Math.ceil(cut.length / most_of_request) }, (_, n) =>
    cut.slice(n * most_of_request, (n + 1) * most_of_request),
  );
  const vectors: (Float32Array | undefined)[] = [];
  for (const batch of batches) vectors.push(...(await embedEach(gateway, model, batch, asked)));
  const [dimensions, ...others] = new Set(vectors.flatMap((one) => (one === undefined ? [] : [one.length])));
  if (others.length > 0) throw answeredWrong(model, 'with vectors of several lengths');
  const made_by = dimensions === undefined ? undefined : `models/${model.name} ${model.upstream_model} ${dimensions}`;
  return { made_by, vectors };
}

/** One text that is blocked does not keep the others from their vectors. Throws every other refusal. */
async function embedEach(
  gateway: GatewayParts,
  model: Model,
  texts: readonly string[],
  asked: ForHolder,
): Promise<(Float32Array | undefined)[]> {
  try {
    return await embedBatch(gateway, model, texts, asked);
  } catch (error) {
    if (!(error instanceof Blocked)) throw error;
    if (texts.length === 1) return [undefined];
    const half = Math.ceil(texts.length / 2);
    const first = await embedEach(gateway, model, texts.slice(0, half), asked);
    return [...first, ...(await embedEach(gateway, model, texts.slice(half), asked))];
  }
}

async function embedBatch(
  gateway: GatewayParts,
  model: Model,
  texts: readonly string[],
  asked: ForHolder,
): Promise<Float32Array[]> {
  const { wire, sent, read } = requestOf(model, `models/${model.name}`, texts);
  const call = { kind: 'embedding', model, wire, sent } as const;
  const answer = await askForHolder(gateway, call, { ...asked, deadline_ms: embed_ms });
  const vectors = read(answer).map((values) => (isNumbers(values) ? unitVector(values) : undefined));
  const whole = vectors.filter((one) => one !== undefined);
  if (whole.length !== texts.length)
    throw answeredWrong(model, `with ${whole.length} vectors for ${texts.length} texts`);
  return whole;
}

/** `read` gives the vectors in the order of the texts. */
function requestOf(
  { kind }: Model,
  model: string,
  texts: readonly string[],
): { wire: Wire; sent: Json; read: (answer: Json) => unknown[] } {
  if (kind === 'gemini')
    return {
      wire: batchEmbedContents,
      sent: { model, requests: texts.map((text) => ({ content: { parts: [{ text }] } })) },
      read: (answer) => listOf(answer['embeddings']).map((one) => (isJson(one) ? one['values'] : undefined)),
    };
  return {
    wire: embeddings,
    sent: { model, input: texts, encoding_format: 'float' },
    read: ({ data }) =>
      listOf(data)
        .filter(isJson)
        .toSorted((a, b) => Number(a['index'] ?? 0) - Number(b['index'] ?? 0))
        .map((one) => one['embedding']),
  };
}

const isNumbers = (values: unknown): values is number[] =>
  Array.isArray(values) && values.every((one) => typeof one === 'number');
