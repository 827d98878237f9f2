// One call under the guardrails of its agent. The places of a call share a memory: a value that was given at the way in may come out again.
import { Problem } from '@gantry/contract/problems.ts';
import type { GuardrailName, Place } from '@gantry/contract/guardrails/places.ts';
import { comparesWithGiven, givenIn } from './given.ts';
import type { DocumentText, TextSource } from './json-texts.ts';
import { newPlaceholders, redact, Restoring, restore, type Placeholders } from './placeholders.ts';
import {
  JudgeFailed,
  type Ask,
  type Given,
  type JudgeRule,
  type Note,
  type Rule,
  type Span,
  type TextRule,
} from './rule.ts';
import { screen } from './screen.ts';
import { Window, type Released, type Screened } from './stream.ts';
import { yieldTurn } from '../../ground/yield-turn.ts';

/** What a rule did at a place. `checked` counts calls. */
export type Outcome = 'checked' | 'redacted' | 'annotated' | 'blocked' | 'failed';

export interface Done {
  rule: GuardrailName;
  place: Place;
  outcome: Outcome;
}

export class Blocked extends Problem {
  readonly rule: GuardrailName;
  readonly place: Place;
  readonly reason: string;

  /** `reason` has no part of the text. */
  constructor(rule: GuardrailName, place: Place, reason: string) {
    super('guardrail_blocked', { detail: `${rule} blocked ${spoken[place]}: ${reason}.`, fields: { guardrail: rule } });
    this.rule = rule;
    this.place = place;
    this.reason = reason;
  }
}

export interface CallRecord {
  count(done: Done, count: number): void;
  /** Before the refusal goes out. Never rejects: a block stands without its record. */
  block(blocked: Blocked): Promise<void>;
}

const spoken: Record<Place, string> = {
  ingress_in: 'the input',
  model_in: 'the request to the model',
  model_out: 'the answer of the model',
  tool_in: 'the arguments of the tool',
  tool_out: 'the result of the tool',
  ingress_out: 'the answer',
};

/** What the agent was given during the run, for judges. */
export interface GivenTexts {
  read(): Promise<readonly Given[]>;
  /** At the end of the run. */
  forget(): Promise<void>;
}

export const nothingGiven: GivenTexts = { read: async () => await Promise.resolve([]), forget: async () => {} };

export type AskFor = (rule: GuardrailName, signal: AbortSignal) => Ask;

/** For rules that ask nobody. */
export const askNobody: AskFor = (rule) => async () =>
  await Promise.reject(new Error(`${rule} asks a judge, and has none`));

interface CallParts {
  ask: AskFor;
  given: GivenTexts;
  record: CallRecord;
  /** Ends every check of the call: the check throws its reason. A check can have a signal of its own, which then replaces this one. */
  signal: AbortSignal;
}

export class GuardedCall {
  readonly #rules: readonly Rule[];
  readonly #ask: AskFor;
  readonly #texts: GivenTexts;
  readonly #record: CallRecord;
  readonly #signal: AbortSignal;
  #in = newPlaceholders();
  #out: Placeholders | undefined;
  #given = new Set<string>();
  /** What the caller gave. */
  #input: readonly Given[] = [];
  readonly #done = new Map<string, Done & { count: number }>();
  /** The notes of the judges that annotate. */
  readonly notes: Note[] = [];

  constructor(rules: readonly Rule[], { ask, given, record, signal }: CallParts) {
    this.#rules = rules;
    this.#ask = ask;
    this.#texts = given;
    this.#record = record;
    this.#signal = signal;
  }

  /** For a second reading of what the agent says. It has its own notes and counts, and never ends what the call was given. */
  again(): GuardedCall {
    const given = { read: async () => await this.#texts.read(), forget: async () => {} };
    const other = new GuardedCall(this.#rules, {
      ask: this.#ask,
      given,
      record: this.#record,
      signal: this.#signal,
    });
    [other.#in, other.#given, other.#input] = [this.#in, this.#given, this.#input];
    return other;
  }

  /** What the rules did so far, and how often. */
  get done(): readonly (Done & { count: number })[] {
    return [...this.#done.values()];
  }

  /** The refusal, on the record. `reason` has no part of the text. */
  async block(rule: GuardrailName, place: Place, reason: string): Promise<Blocked> {
    this.#note(rule, place, 'blocked');
    const blocked = new Blocked(rule, place, reason.replace(/\.$/, ''));
    await this.#record.block(blocked);
    return blocked;
  }

  /** The texts as they may go on. Throws `Blocked`. */
  async check(place: Place, texts: readonly DocumentText[], signal = this.#signal): Promise<string[]> {
    this.#noteChecks(place);
    const at = { place, signal };
    try {
      const checked: string[] = [];
      for (const { text, source } of texts) {
        const read = isOut(place) ? restore(text, this.#in) : text;
        checked.push(await this.#redacted(at, await screen(read, this.textRules(place, source), at)));
      }
      return await this.#judge(this.#judges(place), at, texts, checked);
    } catch (error) {
      const rule = this.#rules.find(({ places }) => places.includes(place));
      if (!isTimeout(error) || !signal.aborted || rule === undefined) throw error;
      throw await this.block(rule.name, place, 'the check took longer than the call may take');
    }
  }

  /** For the rules that read only the answer of a run. Throws `Blocked`. */
  async checkAnswer(text: string, signal = this.#signal): Promise<void> {
    const at = { place: 'ingress_out', signal } as const;
    this.#noteChecks(at.place);
    await this.#redacted(at, await screen(text, this.#answerRules, at));
    await this.#judge(this.#answerJudges, at, [{ text, source: 'message' }], [text]);
  }

  get #answerRules(): TextRule[] {
    return this.#rules.filter((rule) => rule.kind === 'text' && rule.reads === 'answer') as TextRule[];
  }

  get #answerJudges(): JudgeRule[] {
    return this.#rules.filter((rule) => rule.kind === 'judge' && rule.reads === 'answer') as JudgeRule[];
  }

  /** Remembers the values of an input that may come out again. Changes and blocks nothing. */
  async learn(texts: readonly DocumentText[], signal = this.#signal): Promise<void> {
    this.#input = givenIn(texts);
    const rules = this.textRules('ingress_out', 'message').filter(({ name }) => name === 'pii_detection');
    for (const { text } of texts) {
      const seen = await screen(text, rules, { place: 'ingress_out', signal });
      // A rule that blocks shows no values, and then none may come out again.
      if (seen.kind === 'block') continue;
      for (const part of seen.parts) {
        await yieldTurn(signal);
        for (const { start, end } of part.spans) this.#given.add(bare(part.text.slice(start, end)));
      }
    }
  }

  /** Nothing of the call is needed any more. */
  async end(): Promise<void> {
    if (comparesWithGiven(this.#rules)) await this.#texts.forget();
  }

  textRules(place: Place, source: TextSource): TextRule[] {
    return this.#rules.filter(
      (rule) =>
        rule.kind === 'text' &&
        rule.places.includes(place) &&
        (rule.reads === 'all' || (rule.reads === 'tool_results' && source === 'tool_result')),
    ) as TextRule[];
  }

  /** Checks a text that arrives in pieces. */
  stream(place: Place, signal = this.#signal): GuardedText {
    this.#noteChecks(place);
    const at = { place, signal };
    const isAnswer = place === 'ingress_out';
    const window = new Window([...this.textRules(place, 'message'), ...(isAnswer ? this.#answerRules : [])], at);
    const restoring = isOut(place) ? new Restoring(this.#in) : undefined;
    const judges = [...this.#judges(place), ...(isAnswer ? this.#answerJudges : [])];
    const isJudged = judges.length > 0;
    let held = '';
    const pass = (text: string) => (isJudged ? ((held += text), '') : text);
    const screened = async (text: string) => (text === '' ? '' : await this.#redacted(at, await window.push(text)));
    return {
      push: async (chunk) => pass(await screened(restoring?.push(chunk) ?? chunk)),
      end: async () => {
        const rest = (await screened(restoring?.end() ?? '')) + (await this.#redacted(at, await window.end()));
        if (!isJudged) return rest;
        const [whole = ''] = await this.#judge(judges, at, [{ text: held + rest, source: 'message' }], [held + rest]);
        return whole;
      },
    };
  }

  async #redacted({ place, signal }: Checking, screened: Screened): Promise<string> {
    if (screened.kind === 'block') throw await this.block(screened.rule, place, screened.reason);
    let text = '';
    for (const part of screened.parts) {
      await yieldTurn(signal);
      text += this.#redactedPart(place, part);
    }
    return text;
  }

  #redactedPart(place: Place, { text, spans }: Released): string {
    const hidden = isOut(place)
      ? spans.filter(({ start, end }) => !this.#given.has(bare(text.slice(start, end))))
      : spans;
    if (hidden.length === 0) return text;
    for (const { rule } of hidden) this.#note(rule, place, 'redacted');
    if (isTool(place)) return removed(text, hidden);
    const redacted = redact({ text, spans: hidden }, isOut(place) ? this.#outgoing() : this.#in);
    if (!isOut(place)) for (const { start, end } of hidden) this.#given.add(bare(text.slice(start, end)));
    return redacted;
  }

  /** A value that appears only in the answer gets a number of its own. */
  #outgoing(): Placeholders {
    this.#out ??= { ...newPlaceholders(), counts: new Map(this.#in.counts) };
    return this.#out;
  }

  #judges(place: Place): JudgeRule[] {
    return this.#rules.filter(
      (rule) => rule.kind === 'judge' && rule.places.includes(place) && rule.reads !== 'answer',
    ) as JudgeRule[];
  }

  async #judge(
    judges: readonly JudgeRule[],
    { place, signal }: Checking,
    texts: readonly DocumentText[],
    checked: readonly string[],
  ): Promise<string[]> {
    let all = [...checked];
    for (const rule of judges) {
      const read = all
        .map((_, index) => index)
        .filter((index) => rule.reads !== 'tool_results' || texts[index]?.source === 'tool_result');
      if (read.length === 0) continue;
      const given = place === 'ingress_out' ? [...this.#input, ...(await this.#texts.read())] : [];
      const judged = read.map((index) => all[index] ?? '');
      const verdict = await this.#verdict(rule, { place, signal, given }, judged);
      if (verdict.kind === 'block') throw await this.block(rule.name, place, verdict.reason);
      if (verdict.kind === 'annotate') {
        this.#note(rule.name, place, 'annotated', verdict.notes.length);
        this.notes.push(...verdict.notes);
      }
      if (verdict.kind === 'redact')
        all = all.map((text, index) => {
          const spans = verdict.spans[read.indexOf(index)] ?? [];
          return this.#redactedPart(place, { text, spans: spans.map((span) => ({ ...span, rule: rule.name })) });
        });
    }
    return all;
  }

  async #verdict(
    rule: JudgeRule,
    { place, signal, given }: Checking & { given: readonly Given[] },
    texts: readonly string[],
  ) {
    try {
      return await rule.check(texts, { place, given }, this.#ask(rule.name, signal));
    } catch (error) {
      // The call has ended, and not the judge has failed.
      signal.throwIfAborted();
      if (!(error instanceof JudgeFailed) && !(error instanceof Problem)) throw error;
      this.#note(rule.name, place, 'failed');
      if (rule.on_failure === 'pass') return { kind: 'pass' } as const;
      const reason = `its check failed, and \`on_failure\` is block: ${error.message.replace(/\.$/, '')}`;
      return { kind: 'block', reason } as const;
    }
  }

  #noteChecks(place: Place): void {
    for (const { name, places } of this.#rules)
      if (places.includes(place) && !this.#done.has(keyOf({ rule: name, place, outcome: 'checked' })))
        this.#note(name, place, 'checked');
  }

  #note(rule: GuardrailName, place: Place, outcome: Outcome, count = 1): void {
    if (count === 0) return;
    const done = { rule, place, outcome };
    const known = this.#done.get(keyOf(done));
    if (known === undefined) this.#done.set(keyOf(done), { ...done, count });
    else known.count += count;
    this.#record.count(done, count);
  }
}

interface Checking {
  place: Place;
  signal: AbortSignal;
}

export interface GuardedText {
  /** The text that may go on now. Throws `Blocked`. */
  push(chunk: string): Promise<string>;
  /** The rest. Throws `Blocked`. */
  end(): Promise<string>;
}

function keyOf({ rule, place, outcome }: Done): string {
  return `${rule} ${place} ${outcome}`;
}

const isTimeout = (error: unknown): boolean => error instanceof DOMException && error.name === 'TimeoutError';

function isOut(place: Place): boolean {
  return place === 'model_out' || place === 'ingress_out';
}

function isTool(place: Place): boolean {
  return place === 'tool_in' || place === 'tool_out';
}

/** The types in place of the values. Without numbers: a later answer of a model must not turn one of them into a value of another text. */
function removed(text: string, spans: readonly Span[]): string {
  let left = '';
  let at = 0;
  for (const { start, end, type } of spans) {
    left += `${text.slice(at, start)}[${type}]`;
    at = end;
  }
  return left + text.slice(at);
}

/** Separators of numbers differ between the way in and the way out. */
function bare(value: string): string {
  return value.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}
