// The texts of a JSON document: every string of it that can carry words. A member that nobody listed is a text too, so a new kind of part is
// checked before anyone knows it. Images, sounds and files are not read.
import { Problem } from '@gantry/contract/problems.ts';
import { yieldTurn } from '../../ground/yield-turn.ts';

export interface DocumentForm {
  /** Members whose values are names of the protocol, such as `role`. A value that is no identifier is a text all the same. */
  identifiers: ReadonlySet<string>;
  /** Members that repeat text in pieces, such as the tokens of `logprobs`. They are left out. */
  dropped: ReadonlySet<string>;
  /** Below these members all names are free, so names and numbers are texts too. */
  free: ReadonlySet<string>;
}

export interface DocumentText {
  text: string;
  source: TextSource;
}

/** Who wrote it: a tool, the model itself, or anyone else. */
export type TextSource = 'tool_result' | 'assistant' | 'message';

interface Members {
  [name: string]: unknown;
}

/** The document with what `check` makes of its texts; itself when nothing changes. `check` answers in the order of the texts. */
export async function checkTexts<Document>(
  document: Document,
  form: DocumentForm,
  check: (texts: readonly DocumentText[]) => Promise<readonly string[]>,
): Promise<Document> {
  const texts: DocumentText[] = [];
  const read = await mapTexts(document, form, (text) => {
    texts.push(text);
    return text.text;
  });
  const checked = await check(texts);
  if (checked.length !== texts.length) throw new Error('a check lost a text');
  if (checked.every((text, index) => text === texts[index]?.text)) return read;
  const rest = checked.values();
  return await mapTexts(document, form, () => rest.next().value ?? '');
}

/** Visits the texts in an order that depends on the document alone. */
async function mapTexts<Document>(
  document: Document,
  form: DocumentForm,
  visit: (text: DocumentText) => string,
): Promise<Document> {
  const walker = new Walker(form, visit);
  const walk = walker.value(document, { name: '', isFree: false, source: 'message', nesting: 0 });
  let step = walk.next();
  for (; step.done !== true; step = walk.next()) await yieldTurn();
  // A document keeps its form; only texts in it change.
  return walker.changes === 0 ? document : (step.value as Document);
}

/** Yields between its parts. */
type Walk<Value> = Generator<undefined, Value>;

/** The values that are read between two yields. */
const values_per_part = 256;

interface At {
  /** The nearest name of a member. */
  name: string;
  isFree: boolean;
  source: TextSource;
  /** How many JSON texts are around it. */
  nesting: number;
}

const max_nesting = 4;
/** A document of JSON.parse can be deeper than the stack. */
const max_levels = 200;
const identifier = /^[\w.:/+-]{0,128}$/;
const base64 = /^(?:data:[\w.+-]+\/[\w.+-]+;base64,)?[\w+/=-]*$/;
const binary = new Set([
  'base64',
  'data',
  'url',
  'image_url',
  'file_data',
  'encrypted_content',
  'signature',
  'thoughtSignature',
]);
/** Shorter digits are counts and settings. */
const min_digits = 6;

class Walker {
  changes = 0;
  #levels = 0;
  #values = 0;
  readonly #form: DocumentForm;
  readonly #visit: (text: DocumentText) => string;

  constructor(form: DocumentForm, visit: (text: DocumentText) => string) {
    this.#form = form;
    this.#visit = visit;
  }

  *value(value: unknown, at: At): Walk<unknown> {
    if (++this.#values % values_per_part === 0) yield;
    if (typeof value === 'string') return yield* this.#string(value, at);
    if (typeof value === 'number') return at.isFree ? this.#number(value, at) : value;
    if (typeof value !== 'object' || value === null) return value;
    this.#levels += 1;
    if (this.#levels > max_levels) throw tooDeep();
    const mapped = Array.isArray(value) ? yield* this.#list(value, at) : yield* this.#members(value as Members, at);
    this.#levels -= 1;
    return mapped;
  }

  #text(text: string, { source }: At): string {
    const visited = text === '' ? text : this.#visit({ text, source });
    if (visited !== text) this.changes += 1;
    return visited;
  }

  *#string(value: string, at: At): Walk<string> {
    if (!at.isFree && this.#form.identifiers.has(at.name) && isIdentifier(at.name, value)) return value;
    if (binary.has(at.name) && base64.test(value)) return value;
    const inner = at.nesting < max_nesting ? parsed(value) : undefined;
    if (inner === undefined) return this.#text(value, at);
    const before = this.changes;
    const mapped = yield* this.value(inner, { ...at, isFree: true, nesting: at.nesting + 1 });
    return this.changes === before ? value : JSON.stringify(mapped);
  }

  #number(value: number, at: At): number | string {
    const text = String(value);
    if (text.length < min_digits) return value;
    const visited = this.#text(text, at);
    return visited === text ? value : visited;
  }

  /** Adjacent parts of one text are one text. */
  *#list(values: readonly unknown[], at: At): Walk<unknown[]> {
    const mapped: unknown[] = [];
    let index = 0;
    while (index < values.length) {
      const run: TextPart[] = [];
      for (let part = values[index]; isTextPart(part) && continues(run, part); part = values[index + run.length])
        run.push(part);
      mapped.push(...(run.length < 2 ? [yield* this.value(values[index], at)] : yield* this.#run(run, at)));
      index += Math.max(1, run.length);
    }
    return mapped;
  }

  *#run(parts: readonly TextPart[], at: At): Walk<unknown[]> {
    const whole = parts.map(({ text }) => text).join('');
    const visited = this.#text(whole, at);
    const others: Members[] = [];
    for (const { text: _, ...rest } of parts) others.push(yield* this.#members(rest, at));
    if (visited === whole) return parts.map(({ text }, index) => ({ ...others[index], text }));
    // A changed text has no parts any more.
    const all: Members = {};
    for (const one of others) Object.assign(all, one);
    return [{ ...all, text: visited }];
  }

  #drop(): true {
    this.changes += 1;
    return true;
  }

  *#members(members: Members, at: At): Walk<Members> {
    const source = (at.isFree ? undefined : sourceOf(members, at.name)) ?? at.source;
    const { dropped, free } = this.#form;
    const mapped: [string, unknown][] = [];
    for (const [name, value] of Object.entries(members)) {
      if (!at.isFree && dropped.has(name) && this.#drop()) continue;
      const below = { ...at, name, source, isFree: at.isFree || free.has(name) };
      const isName = !at.isFree && identifier.test(name);
      mapped.push([isName ? name : this.#text(name, at), yield* this.value(value, below)]);
    }
    return Object.fromEntries(mapped);
  }
}

/** A sender chooses names, and could write a number of a card as one. Ids are made by services. */
function isIdentifier(name: string, value: string): boolean {
  return identifier.test(value) && (name !== 'name' || !/\d{12}/.test(value));
}

function tooDeep(): Problem {
  return new Problem('guardrail_blocked', { detail: `No guardrail reads JSON of more than ${max_levels} levels.` });
}

interface TextPart extends Members {
  text: string;
}

function isTextPart(value: unknown): value is TextPart {
  return typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';
}

/** A thought of Gemini's models is no part of the answer behind it. */
function continues([first]: readonly TextPart[], part: TextPart): boolean {
  return first === undefined || first['thought'] === part['thought'];
}

/** `name` is that of the member with these members. */
function sourceOf({ role, type }: Members, name: string): TextSource | undefined {
  if (name === 'functionResponse') return 'tool_result';
  if (name === 'functionCall' || role === 'model') return 'assistant';
  if (role === 'tool' || role === 'function') return 'tool_result';
  if (typeof type === 'string' && /(?:tool_result|_output)$/.test(type)) return 'tool_result';
  if (role === 'assistant' || type === 'function_call' || type === 'reasoning') return 'assistant';
  return role === undefined ? undefined : 'message';
}

/** The value of a text that is JSON. In such a text, an escape such as `\u0034` hides a character. */
function parsed(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value = parseExactly(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** As JSON.parse, but a number whose digits would be lost is a text. */
export function parseExactly(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  // The types of this library know no third argument.
  const exact = (_: string, value: unknown, { source = '' }: { source?: string } = {}) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;
  return JSON.parse(text, exact);
}
