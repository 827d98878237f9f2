// The cost of a stream that is closed before its end. The provider bills what it has produced, and says how much only at the end. So the charge is
// an estimate: the highest cost of the input, and a token for each byte of the answer so far, at most the hold. What a model thinks unseen has no
// estimate: then the whole hold is charged.
import { stopsWhenLeft } from '@gantry/project/model-providers.ts';
import type { Attempt } from './attempt.ts';
import { dataOf, eventsIn } from '../../../governance/http/answer/event-stream.ts';
import { boundOf } from '../prices/cost.ts';
import { mostInputTokens } from '../admission/reservation.ts';
import type { Wire } from '../wires/wire.ts';

export interface Produced {
  /** Whole events of the answer. */
  add(bytes: Buffer): void;
  /** The bytes of text so far. */
  bytes(): number;
}

/** Events are read when they are many, or at the end: most streams are never cut. */
const max_unread_bytes = 64 * 1024;

export function openProduced(wire: Wire): Produced {
  let unread: Buffer[] = [];
  let unread_bytes = 0;
  let read_bytes = 0;
  const readAll = () => {
    for (const event of unread.flatMap((one) => [...eventsIn(one)])) {
      const data = dataOf(event);
      const deltas = (data && wire.events.read(data)?.deltas) ?? [];
      read_bytes += deltas.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    }
    unread = [];
    unread_bytes = 0;
  };
  return {
    add: (bytes) => {
      unread.push(bytes);
      unread_bytes += bytes.length;
      if (unread_bytes > max_unread_bytes) readAll();
    },
    bytes: () => {
      readAll();
      return read_bytes;
    },
  };
}

/** Models of OpenAI and Anthropic that show all that they bill. A model with any other name can be one that thinks. */
const shows_all = /^(?:ft:)?(?:chatgpt-4o|gpt-3\.5|gpt-4|claude-3|claude-(?:opus|sonnet|haiku)-4)/;

/** The provider stops and bills no more when nobody reads, and shows all that it bills. */
export function canBeCut({ model, sent }: Pick<Attempt, 'model' | 'sent'>): boolean {
  const { provider, upstream_model } = model;
  return stopsWhenLeft(provider) && shows_all.test(upstream_model) && sent['thinking'] === undefined;
}

// What was on its way when the stream was closed.
const unseen_tokens = 64;

/** In nano-USD, at most the hold. Undefined: the whole hold. */
export function costOfCut({ model, asked, held }: Attempt, produced_bytes: number): number | undefined {
  const { price } = model;
  const input_tokens = mostInputTokens(asked, model);
  if (price === undefined || input_tokens === undefined) return undefined;
  const { input_classes, web_searches } = asked;
  const output_tokens = produced_bytes + unseen_tokens * asked.choices;
  return Math.min(held, boundOf(price, { input_tokens, input_classes, web_searches, output_tokens }));
}
