// The events of a run as one text. Promise: it ends with the text that the same call has without a stream.
import { Problem } from '@gantry/contract/problems.ts';
import { isJson, listOf, type Json } from '../../models/gateway/wires/wire.ts';
import { textOfOutput } from '../invoke/streams/text-of-output.ts';
import { failureOf } from './failure.ts';

/** Between two messages of the agent. */
const between = '\n\n';

/**
 * The pieces of the text on arrival. Messages at the same time come one after the other. Throws the reason of a run that ends without an
 * answer.
 */
export async function* textOfRun(events: AsyncIterable<Json>): AsyncGenerator<string> {
  const order = inOrder();
  let end: Json | undefined;
  // Read to its end: a reader who leaves before would be recorded as one.
  for await (const event of events) {
    yield* piecesOf(order, event);
    if (event['type'] === 'RUN_FINISHED' || event['type'] === 'RUN_ERROR') end = event;
  }
  yield* order.endAll();
  if (end === undefined) throw new Problem('agent_error', { detail: 'The stream of the agent has no end.' });
  if (end['type'] === 'RUN_ERROR') throw failureOf(String(end['code']), String(end['message']));
  const answer = answerOf(end);
  if (!order.has(answer)) yield* order.add('', answer);
}

function piecesOf(order: InOrder, { type, messageId, delta }: Json): readonly string[] {
  if (type === 'TEXT_MESSAGE_CONTENT' && typeof delta === 'string') return order.add(String(messageId), delta);
  return type === 'TEXT_MESSAGE_END' ? order.end(String(messageId)) : [];
}

function answerOf({ outcome, result }: Json): string {
  const { type, interrupts } = isJson(outcome) ? outcome : {};
  if (type === 'cancelled') throw new Problem('cancelled');
  if (type !== 'interrupt') return textOfOutput(result);
  return questions(listOf(interrupts).map((one) => (isJson(one) && isJson(one['metadata']) ? one['metadata'] : one)));
}

/** What a run asks that waits for a person. */
export function questions(interrupts: readonly unknown[]): string {
  return interrupts.map((one) => textOfOutput(isJson(one) ? one['value'] : one)).join('\n');
}

interface InOrder {
  add: (id: string, delta: string) => string[];
  end: (id: string) => string[];
  endAll: () => string[];
  /** One of the messages is this text. */
  has: (text: string) => boolean;
}

/** The first open message passes. The others wait for its end. */
function inOrder(): InOrder {
  const messages = new Map<string, { text: string; passed: number; isEnded: boolean }>();
  const messageOf = (id: string) => {
    const message = messages.get(id) ?? { text: '', passed: 0, isEnded: false };
    messages.set(id, message);
    return message;
  };
  let isFirst = true;
  const pass = (): string[] => {
    const pieces: string[] = [];
    for (const message of messages.values()) {
      const piece = message.text.slice(message.passed);
      if (piece !== '') {
        if (message.passed === 0 && !isFirst) pieces.push(between);
        pieces.push(piece);
        [message.passed, isFirst] = [message.text.length, false];
      }
      if (!message.isEnded) break;
    }
    return pieces;
  };
  return {
    add: (id, delta) => {
      messageOf(id).text += delta;
      return pass();
    },
    end: (id) => {
      messageOf(id).isEnded = true;
      return pass();
    },
    endAll: () => {
      for (const message of messages.values()) message.isEnded = true;
      return pass();
    },
    has: (text) => text === '' || [...messages.values()].some((message) => message.text === text),
  };
}
