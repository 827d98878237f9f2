// The parts of `graph.astream` in a stream of events, as langgraph's SDK gets them. The pieces of a message continue each other, so a guardrail reads
// them as one text.
import type { Delta, Event } from '../../../models/guardrails/guarded-events.ts';

/** The name of the custom event that carries a part. */
export const part_event = 'langgraph';

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Undefined for another event. */
export function readPart(event: Event): { event: Event; deltas: Delta[]; ends: string[] } | undefined {
  const { type, name, value } = event;
  if (type !== 'CUSTOM' || name !== part_event || !isObject(value)) return undefined;
  if (value['mode'] === 'events') return readEvent(event, value);
  if (value['mode'] !== 'messages') return { event, deltas: [], ends: ['part '] };
  const [message, metadata] = listOf(value['data']);
  if (!isPiece(message)) return { event, deltas: [], ends: [] };
  const printed = (said: Json): Event => ({
    ...event,
    value: { ...value, data: [{ ...withoutRepeats(message), ...said }, metadata] },
  });
  const place = { name: `part ${String(message['id'])}`, path: ['value', 'data', 0] };
  return { event: printed({}), deltas: piecesOf(message, place, printed), ends: [] };
}

/** An event of langchain. Those of several steps come between each other, so a text ends with its own model call alone. */
function readEvent(event: Event, value: Json): ReturnType<typeof readPart> {
  const data = isObject(value['data']) ? value['data'] : {};
  const inner = isObject(data['data']) ? data['data'] : {};
  const name = `event ${String(data['run_id'])}`;
  const message = inner['chunk'];
  if (!isPiece(message)) return { event, deltas: [], ends: data['event'] === 'on_chat_model_end' ? [name] : [] };
  const printed = (said: Json): Event => ({
    ...event,
    value: { ...value, data: { ...data, data: { ...inner, chunk: { ...withoutRepeats(message), ...said } } } },
  });
  const place = { name, path: ['value', 'data', 'data', 'chunk'] };
  return { event: printed({}), deltas: piecesOf(message, place, printed), ends: [] };
}

const isPiece = (message: unknown): message is Json => isObject(message) && String(message['type']).endsWith('Chunk');

/** Left out are pieces of the text or of a tool's arguments that stand there again, where no rule could read them together. */
const withoutRepeats = (message: Json) => ({
  ...message,
  additional_kwargs: {},
  tool_calls: [],
  invalid_tool_calls: [],
});

/** Vendors number the pieces of one block or call alike. */
const placeOf = ({ index }: Json, otherwise: number) => String(typeof index === 'number' ? index : otherwise);

/** A message, by the name of its texts and its path in the event. */
interface Place {
  name: string;
  path: readonly (string | number)[];
}

function piecesOf(message: Json, { name, path }: Place, printed: (said: Json) => Event): Delta[] {
  const { content } = message;
  const quiet = { tool_call_chunks: [] };
  const text: Delta[] =
    typeof content === 'string'
      ? [
          {
            name: `${name} text`,
            path: [...path, 'content'],
            text: content,
            print: (piece) => printed({ ...quiet, content: piece }),
          },
        ]
      : listOf(content).flatMap((block, index) => pieceOfBlock({ name, path, block, index }, printed));
  const calls = listOf(message['tool_call_chunks']).flatMap((chunk, index) => {
    if (!isObject(chunk) || typeof chunk['args'] !== 'string') return [];
    const args = chunk['args'];
    return [
      {
        name: `${name} tool ${placeOf(chunk, index)}`,
        path: [...path, 'tool_call_chunks', index, 'args'],
        text: args,
        isJson: true,
        print: (piece: string) => printed({ content: '', tool_call_chunks: [{ ...chunk, args: piece }] }),
      },
    ];
  });
  return [...text, ...calls];
}

function pieceOfBlock(
  { name, path, block, index }: Place & { block: unknown; index: number },
  printed: (said: Json) => Event,
): Delta[] {
  if (!isObject(block) || typeof block['text'] !== 'string') return [];
  return [
    {
      name: `${name} block ${placeOf(block, index)}`,
      path: [...path, 'content', index, 'text'],
      text: block['text'],
      print: (piece) => printed({ content: [{ ...block, text: piece }], tool_call_chunks: [] }),
    },
  ];
}
