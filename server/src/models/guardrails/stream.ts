// Streams and long texts: text is released when no rule can still change it. However a text is cut into chunks, the released text is the same,
// because each rule decides on bounded surroundings and a span is never cut. Held text is bounded: a longer open part is decided in pieces.
// Work is bounded too: for a chunk, a rule reads at most 2,048 characters, and 16 more for each character of the chunk (work.test.ts).
import type { Place } from '@gantry/contract/guardrails/places.ts';
import { context_characters, type Passage, type Span, type TextRule } from './rule.ts';
import { yieldTurn } from '../../ground/yield-turn.ts';

/** Text that the rules have decided. `spans` are offsets in `text`. */
export interface Released {
  text: string;
  spans: RuledSpan[];
}

interface RuledSpan extends Span {
  rule: TextRule['name'];
}

export interface Checking {
  place: Place;
  /** Ends the check: push() and end() then throw its reason. */
  signal?: AbortSignal | undefined;
}

/** The first block ends the text: nothing after it is released. */
export type Screened =
  | { kind: 'released'; parts: Released[] }
  | { kind: 'block'; rule: TextRule['name']; reason: string };

/** The most characters that a stream holds back. */
const most_held_characters = 8192;

/** The end of a full hold that stays held: a match can be this long. */
const overlap_characters = 2048;

/** The most characters that a chunk adds to the held part between two checks. */
const slice_characters = 2048;

/** A full hold releases at least so much. */
const least_released_characters = 2048;

/** One text, in chunks, through all text rules of a place. A rule that needs the whole text makes the whole text held. */
export class Window {
  #held = '';
  #before = '';
  #offset = 0;
  /** The characters of the held part that the last check has read. */
  #read = 0;
  #blocked: { rule: TextRule['name']; reason: string } | undefined;
  /** What the rules for passages released, and the text itself, until the rules for whole texts have decided. */
  readonly #waiting: Released[] = [];
  #whole = '';
  readonly #rules: readonly TextRule[];
  readonly #wholeRules: readonly TextRule[];
  readonly #checking: Checking;

  constructor(rules: readonly TextRule[], checking: Checking) {
    const here = rules.filter(({ places }) => places.includes(checking.place));
    this.#rules = here.filter(({ streams }) => streams === 'passages');
    this.#wholeRules = here.filter(({ streams }) => streams === 'whole');
    this.#checking = checking;
  }

  /** Call it again when it has answered. */
  async push(chunk: string): Promise<Screened> {
    const parts: Released[] = [];
    if (this.#wholeRules.length > 0) this.#whole += chunk;
    let at = 0;
    while (at < chunk.length && this.#blocked === undefined) {
      await yieldTurn(this.#checking.signal);
      const taken = Math.min(chunk.length - at, slice_characters, most_held_characters - this.#held.length);
      this.#held += chunk.slice(at, at + taken);
      at += taken;
      await this.#release(parts, false);
    }
    if (this.#wholeRules.length > 0) this.#waiting.push(...parts.splice(0));
    return this.#answer(parts);
  }

  /** The rest of the text. Nothing follows. */
  async end(): Promise<Screened> {
    const parts = this.#waiting.splice(0);
    if (this.#blocked === undefined) await this.#release(parts, true);
    for (const rule of this.#wholeRules) {
      if (this.#blocked !== undefined) break;
      await yieldTurn(this.#checking.signal);
      await this.#check(rule, { text: this.#whole, before: '', offset: 0, isLast: true });
    }
    return this.#answer(parts);
  }

  #answer(parts: Released[]): Screened {
    return this.#blocked === undefined ? { kind: 'released', parts } : { kind: 'block', ...this.#blocked };
  }

  async #release(parts: Released[], isLast: boolean): Promise<void> {
    const text = this.#held;
    const isFull = text.length >= most_held_characters;
    if (!isFull && !isLast && !this.#isDue) return;
    this.#read = text.length;
    const open = isLast ? text.length : this.#openFrom(text);
    if (open === 0 && !isFull && !isLast) return;
    const spans: RuledSpan[] = [];
    for (const rule of this.#rules) {
      spans.push(...(await this.#check(rule, { text, before: this.#before, offset: this.#offset, isLast })));
      if (this.#blocked !== undefined) return;
    }
    const merged = mergeSpans(spans);
    const cut = isFull ? cutOfFull(merged, open) : beforeSpan(merged, open);
    if (cut === 0) return;
    parts.push({ text: text.slice(0, cut), spans: merged.filter(({ end }) => end <= cut) });
    this.#before = (this.#before + text.slice(0, cut)).slice(-context_characters);
    this.#offset += cut;
    this.#held = text.slice(cut);
    this.#read -= cut;
  }

  /** A long held part is read again when it has grown by an eighth, not with each character of a stream. */
  get #isDue(): boolean {
    const { length } = this.#held;
    return length <= context_characters || length - this.#read >= length / 8;
  }

  async #check(rule: TextRule, passage: Omit<Passage, keyof Checking>): Promise<RuledSpan[]> {
    const verdict = await rule.check({ ...this.#checking, ...passage });
    if (verdict.kind === 'block') this.#blocked = { rule: rule.name, reason: verdict.reason };
    return verdict.kind === 'redact' ? verdict.spans.map((span) => ({ ...span, rule: rule.name })) : [];
  }

  #openFrom(text: string): number {
    return this.#rules.reduce((open, rule) => Math.min(open, rule.openFrom(text)), text.length);
  }
}

/** The last place up to `at` outside every span. */
const beforeSpan = (spans: readonly Span[], at: number): number =>
  spans.find(({ start, end }) => start < at && end > at)?.start ?? at;

/** Spans can cover almost all of a full hold, and can end after its open part begins. Then the cut is after the span. */
function cutOfFull(spans: readonly Span[], open: number): number {
  const closed = beforeSpan(spans, open);
  if (closed >= least_released_characters) return closed;
  const at = most_held_characters - overlap_characters;
  const before = beforeSpan(spans, at);
  return before >= least_released_characters ? before : (spans.find(({ end }) => end > at)?.end ?? at);
}

/** Overlapping spans become one, with the type of the first. */
export function mergeSpans<One extends Span>(spans: readonly One[]): One[] {
  const merged: One[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push({ ...span });
    else last.end = Math.max(last.end, span.end);
  }
  return merged;
}
