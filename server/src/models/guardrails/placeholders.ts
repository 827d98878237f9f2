// Placeholders such as `[EMAIL_1]`: the same value has the same number in one conversation, and its caller gets the value back.
import type { Span } from './rule.ts';

/** The values behind the placeholders of one conversation. It is kept in memory only and never logged. */
export interface Placeholders {
  byValue: Map<string, string>;
  byPlaceholder: Map<string, string>;
  counts: Map<string, number>;
}

export const newPlaceholders = (): Placeholders => ({
  byValue: new Map(),
  byPlaceholder: new Map(),
  counts: new Map(),
});

/** The text with a placeholder in place of every span. The spans are in order and do not overlap. */
export function redact({ text, spans }: { text: string; spans: readonly Span[] }, table: Placeholders): string {
  let redacted = '';
  let at = 0;
  for (const span of spans) {
    redacted += text.slice(at, span.start) + placeholderOf(text.slice(span.start, span.end), span.type, table);
    at = span.end;
  }
  return redacted + text.slice(at);
}

function placeholderOf(value: string, type: Span['type'], table: Placeholders): string {
  const key = `${type} ${value}`;
  const known = table.byValue.get(key);
  if (known !== undefined) return known;
  const number = (table.counts.get(type) ?? 0) + 1;
  const placeholder = `[${type}_${number}]`;
  table.counts.set(type, number);
  table.byValue.set(key, placeholder);
  table.byPlaceholder.set(placeholder, value);
  return placeholder;
}

/** The text with the values in place of the placeholders of the table; other text in brackets stays. */
export function restore(text: string, { byPlaceholder }: Placeholders): string {
  return text.replaceAll(placeholder, (found) => byPlaceholder.get(found) ?? found);
}

const placeholder = /\[[A-Z][A-Z0-9_]{0,40}_\d{1,9}\]/g;

/** `restore` over a stream: the start of a placeholder waits for its end. */
export class Restoring {
  #held = '';
  readonly #table: Placeholders;

  constructor(table: Placeholders) {
    this.#table = table;
  }

  push(chunk: string): string {
    const text = this.#held + chunk;
    const open = text.length - (partial.exec(text.slice(-longest_placeholder))?.[0].length ?? 0);
    this.#held = text.slice(open);
    return restore(text.slice(0, open), this.#table);
  }

  end(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }
}

/** `[`, a type of at most 41 characters, `_`, at most 9 digits and `]`. */
const longest_placeholder = 53;

/** The start of a placeholder at the end of a text. */
const partial = /\[(?:[A-Z][A-Z0-9_]{0,51})?$/;
