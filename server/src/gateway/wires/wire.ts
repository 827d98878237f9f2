// A format in which clients call models, and in which an upstream is called. A request is passed on in its own format.
import type { UpstreamKind } from '@gantry/contract/model-providers.ts';
import type { Model } from '../model.ts';
import type { InputClass, Usage } from '../prices/rates.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface Wire {
  kind: UpstreamKind;
  /** Behind the base URL of an upstream. */
  path: string;
  /** Throws `invalid`. */
  read(body: Json, bytes: number): AskedOfModel;
  /** The body for the upstream. */
  write(body: Json, model: Model, limit: OutputLimit): Json;
  /** Undefined when the answer does not say it. */
  usageOf(answer: Json): Usage | undefined;
  /** The event of a stream carries nothing but usage that the client has not asked for. */
  isOnlyUsage(event: Json, body: Json): boolean;
}

export interface AskedOfModel {
  model: string;
  stream: boolean;
  /** At most. */
  input_tokens: number;
  /** The classes that its tokens can belong to. */
  input_classes: readonly InputClass[];
  /** The request's own limit, for one choice. */
  output_tokens: number | undefined;
  choices: number;
  /** Parts whose cost has no bound. */
  unbounded: string[];
}

interface OutputLimit {
  /** For one choice. */
  output_tokens: number;
  /** A budget counts on the limit, so the upstream must be told. */
  is_limited: boolean;
}

/** The most that an image costs at any vendor: OpenAI's, for a small model, in eight tiles. */
export const image_max_tokens = 50_000;
/** What vendors add to each request, and to each of its messages. */
export const request_overhead_tokens = 512;
export const message_overhead_tokens = 16;
export const tools_overhead_tokens = 1024;

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A count of tokens in an answer. Anything else is no usage. */
export function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}
