// A format in which clients call models, and in which an upstream is called. A request is passed on in its own format.
import type { Format } from '@gantry/project/model-providers.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { EventForm } from '../../guardrails/guarded-events.ts';
import type { DocumentForm } from '../../guardrails/json-texts.ts';
import { max_call_tokens } from '../../ledger/books.ts';
import type { Model } from '../model.ts';
import type { InputClass, Usage } from '../prices/rates.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface Wire {
  kind: Format;
  /** Behind the base URL of an upstream. `{model}` stands for its name there. */
  path: string;
  query?: Readonly<Record<string, string>>;
  /** The client's headers for the upstream. No other header is passed on. */
  passed_headers: readonly string[];
  /** `text` is the body as JSON without spaces. Throws `invalid`. */
  read(body: Json, text: string): AskedOfModel;
  /** The body for the upstream. */
  write(body: Json, model: Model, limit: OutputLimit): Json;
  /** The vendor's counts in an answer, or in one event of a stream. A count of a later event replaces that of an earlier one. */
  countsIn(answer: Json): Json | undefined;
  /** Undefined when a count is missing. `usageIn` bounds it. */
  usageOf(counts: Json): Usage | undefined;
  /** The event of a stream carries nothing but usage that the client has not asked for. */
  isOnlyUsage(event: Json, body: Json): boolean;
  /** Where a request and an answer carry texts. */
  document: DocumentForm;
  /** Where the events of a stream carry texts. */
  events: EventForm;
  /** Names a part of a request that no rule can read. */
  unreadable?(body: Json): string | undefined;
  /** The answer ended because it reached its limit of tokens. */
  isCut(answer: Json): boolean;
  /** The last event of a stream that broke off. */
  printBreak(problem: Pick<Problem, 'code' | 'detail' | 'status'>): string;
}

export interface AskedOfModel {
  model: string;
  stream: boolean;
  /** At most, with `image_max_tokens` for each image. */
  input_tokens: number;
  expected_input_tokens: number;
  images: number;
  /** Files, whose pages nobody has counted. */
  files: number;
  /** The contexts of the model that the input fills at most. */
  contexts: number;
  /** Searches of the vendor. What they find is input of a further context each. */
  web_searches: number;
  /** The classes that its tokens can belong to. */
  input_classes: readonly InputClass[];
  /** The request's own limit, for one choice. */
  output_tokens: number | undefined;
  /** The upstream refuses a lower limit, for one choice. */
  min_output_tokens?: number;
  choices: number;
  /** Parts whose cost has no bound. */
  unbounded: string[];
  /** Addresses that the upstream reads, such as those of images. */
  addresses: string[];
}

/** The answer is numbers, so only a text that goes in costs. */
export const writesNothing = {
  stream: false,
  images: 0,
  files: 0,
  web_searches: 0,
  contexts: 1,
  input_classes: ['input'],
  output_tokens: 0,
  choices: 1,
  unbounded: [],
  addresses: [],
} as const satisfies Partial<AskedOfModel>;

/** A count of tokens costs nothing, and counts as a request. */
export const costsNothing = { ...writesNothing, input_tokens: 0, expected_input_tokens: 0 } as const;

interface OutputLimit {
  /** For one choice. */
  output_tokens: number;
  /** A budget counts on the limit, so the upstream must be told. */
  is_limited: boolean;
  /** For a request without one. */
  temperature?: number | undefined;
}

export function withTemperature(body: Json, { temperature }: OutputLimit): Json {
  return temperature === undefined || 'temperature' in body ? body : { ...body, temperature };
}

/** The most that an image costs at any vendor: OpenAI's, for a small model, in eight tiles. */
export const image_max_tokens = 50_000;
/** What vendors add to each request, and to each of its messages. */
const request_overhead_tokens = 512;
const message_overhead_tokens = 16;
const instructions_tokens = 1024;

interface InputParts {
  /** The data or the address of each image. Its cost depends on its size in pixels. */
  images: readonly string[];
  files?: readonly string[];
  messages: number;
  /** The vendor adds instructions about tools, about each tool of its own, and about the form of the answer. */
  instructions: number;
}

/** The usual length of a token in most languages. It decides about no money. */
const usual_bytes_per_token = 3;
const usual_image_tokens = 1000;
const usual_file_tokens = 10_000;

/** No token is shorter than a byte. A character of an image takes at least one byte of the text. */
export function boundInput(
  text: string,
  { images, files = [], messages, instructions }: InputParts,
): Pick<AskedOfModel, 'input_tokens' | 'expected_input_tokens'> {
  const data_bytes = [...images, ...files].reduce((sum, data) => sum + data.length, 0);
  const text_bytes = Buffer.byteLength(text) - data_bytes;
  return {
    input_tokens:
      text_bytes +
      images.length * image_max_tokens +
      request_overhead_tokens +
      messages * message_overhead_tokens +
      instructions * instructions_tokens,
    expected_input_tokens:
      Math.ceil(text_bytes / usual_bytes_per_token) +
      images.length * usual_image_tokens +
      files.length * usual_file_tokens,
  };
}

// The upstream's address and credential are the service's.
const own =
  /(?:^|_)(?:api_?(?:key|base|version)|base_?url|url|uri|endpoint|host|proxy|organization|authorization|credentials?|password|secret|(?:access|auth)_?(?:key|token)|extra_(?:headers|body|query)|headers)(?:_id)?$/i;

// What choose another model, or who serves it: at OpenRouter, in proxies such as LiteLLM and Portkey, and at Vercel's gateway.
const chooses =
  /fallback|^(?:models?_(?:list|group|id|name)|models|(?:llm_|custom_llm_)?providers?|provider_?options|rout(?:e|er|ing)(?:_settings)?|preset|(?:specific_)?deployment(?:_id)?|engine|virtual_key|litellm_params|user_config)$/i;

/** Throws `invalid` for a member that could lead the call elsewhere, to another model, or under another credential. */
export function refuseOwn(body: Json): void {
  const names = Object.keys(body);
  const address = names.find((one) => own.test(one));
  if (address !== undefined)
    throw belongs(address, 'belongs to the service, which knows the address and the credential');
  // Null and false ask for nothing.
  const choice = names.find((one) => chooses.test(one) && body[one] !== null && body[one] !== false);
  if (choice !== undefined)
    throw belongs(choice, 'chooses a model or who serves it, and the config of the model decides that');
}

function belongs(name: string, message: string): Problem {
  return invalid([{ path: [name.slice(0, 40)], message }]);
}

export function invalid(issues: readonly { path: PropertyKey[]; message: string }[]): Problem {
  return new Problem('invalid', {
    errors: issues.map(({ path, message }) => ({ pointer: `/${path.join('/')}`, message })),
  });
}

/** Names the members outside the list. Null and false ask for nothing. */
export function membersOutside(listed: ReadonlySet<string>, value: Json): string[] {
  return Object.keys(value).filter((name) => !listed.has(name) && value[name] !== null && value[name] !== false);
}

export function isAddress(text: unknown): text is string {
  return typeof text === 'string' && text !== '' && !/^data:/i.test(text);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function typeOf(part: unknown): string {
  return isJson(part) && typeof part['type'] === 'string' ? part['type'] : '';
}

/** For a refusal. */
export function nameOf(part: unknown): string {
  return `\`${typeOf(part).slice(0, 40) || 'a part without a type'}\``;
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined when a count is missing, and when the counts are more than one call can use: a server can say what it likes. */
export function usageIn(wire: Pick<Wire, 'usageOf'>, counts: Json | undefined): Usage | undefined {
  const usage = counts && wire.usageOf(counts);
  const all = Object.values(usage ?? {}).reduce((sum, tokens) => sum + tokens, 0);
  return all <= max_call_tokens ? usage : undefined;
}

/** A count of tokens in an answer. Anything else is no usage. */
export function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

/** Each token of the total is in one class, also when the parts exceed it. */
export function split(total: number, rest: keyof Usage, parts: { [name in keyof Usage]?: unknown }): Usage {
  let left = total;
  const taken = Object.entries(parts).map(([name, said]) => {
    const tokens = Math.min(count(said) ?? 0, left);
    left -= tokens;
    return [name, tokens] as const;
  });
  return { ...Object.fromEntries(taken), [rest]: left };
}
