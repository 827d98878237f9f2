// The events of a stream under guardrails. A text that continues over several events is released when no rule can change it any more; JSON in
// pieces, when it is whole. An event of an unknown type does not pass, because nobody knows where its text continues.
import type { Place } from '@gantry/contract/guardrails/places.ts';
import { checkTexts, type DocumentForm, type DocumentText } from './json-texts.ts';
import type { GuardedCall, GuardedText } from './guarded-call.ts';

export type Event = Readonly<Record<string, unknown>>;

export interface EventForm {
  document: DocumentForm;
  /** Undefined for an event that must not pass. */
  read(event: Event): SeenEvent | undefined;
  /** An event with its place in the stream, for a format that counts them. */
  renumber?(event: Event, index: number): Event;
}

interface SeenEvent {
  /** Without the members that must not pass. */
  event: Event;
  deltas: Delta[];
  /** The texts that end before this event: those whose name begins so. */
  ends: string[];
  /** It says nothing when its deltas are empty. */
  isOnlyDeltas: boolean;
}

export interface Delta {
  /** The name of the text that it continues. */
  name: string;
  /** Where its piece of the text is in the event. */
  path: readonly (string | number)[];
  text: string;
  isJson?: boolean;
  /** The text ends with this piece. */
  isLast?: boolean;
  /** An event with nothing but this piece. */
  print: (text: string) => Event;
}

interface OpenText extends GuardedText {
  print: Delta['print'];
}

const max_held_characters = 32 * 1024 * 1024;

export class GuardedEvents {
  readonly #call: GuardedCall;
  readonly #form: EventForm;
  readonly #place: Place;
  readonly #signal: AbortSignal;
  readonly #texts = new Map<string, OpenText>();
  #characters = 0;
  #index = 0;

  constructor(call: GuardedCall, form: EventForm, { place, signal }: { place: Place; signal: AbortSignal }) {
    this.#call = call;
    this.#form = form;
    this.#place = place;
    this.#signal = signal;
  }

  /** What may go on when this event has come. Throws `Blocked`. */
  async take(event: Event): Promise<Event[]> {
    const seen = this.#form.read(event);
    if (seen === undefined) return [];
    const ended = await this.#end(seen.ends);
    const emptied = seen.deltas.reduce((one, { path }) => withText(one, path, ''), seen.event);
    let passed = await this.#checked(emptied);
    let isEmpty = true;
    for (const delta of seen.deltas) {
      const text = await this.#push(delta);
      if (text !== '') isEmpty = false;
      passed = withText(passed, delta.path, text);
    }
    return this.#numbered(isEmpty && seen.isOnlyDeltas ? ended : [...ended, passed]);
  }

  /** What is left when the stream ends. Throws `Blocked`. */
  async end(): Promise<Event[]> {
    return this.#numbered(await this.#end(['']));
  }

  async #checked<Document>(document: Document): Promise<Document> {
    const check = async (texts: readonly DocumentText[]) => await this.#call.check(this.#place, texts, this.#signal);
    return await checkTexts(document, this.#form.document, check);
  }

  async #push({ name, text, isJson, isLast, print }: Delta): Promise<string> {
    this.#characters += text.length;
    if (this.#characters > max_held_characters)
      throw new RangeError(`the stream has more than ${max_held_characters} characters`);
    const open = this.#texts.get(name) ?? this.#open(isJson === true);
    this.#texts.set(name, { ...open, print });
    const passed = await open.push(text);
    if (isLast !== true) return passed;
    this.#texts.delete(name);
    return passed + (await open.end());
  }

  #open(isJson: boolean): GuardedText {
    if (!isJson) return this.#call.stream(this.#place, this.#signal);
    const pieces: string[] = [];
    return {
      push: async (piece) => await Promise.resolve((pieces.push(piece), '')),
      end: async () => {
        const { json } = await this.#checked({ json: pieces.join('') });
        return json;
      },
    };
  }

  async #end(names: readonly string[]): Promise<Event[]> {
    const events: Event[] = [];
    for (const [name, open] of this.#texts) {
      if (!names.some((one) => name.startsWith(one))) continue;
      this.#texts.delete(name);
      const text = await open.end();
      if (text !== '') events.push(open.print(text));
    }
    return events;
  }

  #numbered(events: readonly Event[]): Event[] {
    return events.map((event) => this.#form.renumber?.(event, this.#index++) ?? event);
  }
}

function withText(event: Event, path: readonly (string | number)[], text: string): Event {
  return put(event, path, text) as Event; // an event stays an event
}

function put(value: unknown, [name, ...rest]: readonly (string | number)[], text: string): unknown {
  if (name === undefined) return text;
  if (Array.isArray(value))
    return value.map((one, index) => (index === name ? put(one, rest, text) : (one as unknown)));
  const members = value as Record<string, unknown>;
  return { ...members, [name]: put(members[name], rest, text) };
}
