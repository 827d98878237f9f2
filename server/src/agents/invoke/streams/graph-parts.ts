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
  if (value['mode'] !== 'messages') return { event, deltas: [], ends: ['part '] };
  const [message, metadata] = listOf(value['data']);
  if (!isObject(message) || !String(message['type']).endsWith('Chunk')) return { event, deltas: [], ends: [] };
  // These repeat pieces of the text or of a tool's arguments, where no rule could read them together.
  const kept = { ...message, additional_kwargs: {}, tool_calls: [], invalid_tool_calls: [] };
  const printed = (said: Json): Event => ({ ...event, value: { ...value, data: [{ ...kept, ...said }, metadata] } });
  return { event: printed({}), deltas: piecesOf(message, printed), ends: [] };
}

/** Vendors number the pieces of one block or call alike. */
const placeOf = ({ index }: Json, otherwise: number) => String(typeof index === 'number' ? index : otherwise);

const message_path = ['value', 'data', 0] as const;

function piecesOf(message: Json, printed: (said: Json) => Event): Delta[] {
  const name = `part ${String(message['id'])}`;
  const { content } = message;
  const quiet = { tool_call_chunks: [] };
  const text: Delta[] =
    typeof content === 'string'
      ? [
          {
            name: `${name} text`,
            path: [...message_path, 'content'],
            text: content,
            print: (piece) => printed({ ...quiet, content: piece }),
          },
        ]
      : listOf(content).flatMap((block, index) => pieceOfBlock({ name, block, index }, printed));
  const calls = listOf(message['tool_call_chunks']).flatMap((chunk, index) => {
    if (!isObject(chunk) || typeof chunk['args'] !== 'string') return [];
    const args = chunk['args'];
    return [
      {
        name: `${name} tool ${placeOf(chunk, index)}`,
        path: [...message_path, 'tool_call_chunks', index, 'args'],
        text: args,
        isJson: true,
        print: (piece: string) => printed({ content: '', tool_call_chunks: [{ ...chunk, args: piece }] }),
      },
    ];
  });
  return [...text, ...calls];
}

function pieceOfBlock(
  { name, block, index }: { name: string; block: unknown; index: number },
  printed: (said: Json) => Event,
): Delta[] {
  if (!isObject(block) || typeof block['text'] !== 'string') return [];
  return [
    {
      name: `${name} block ${placeOf(block, index)}`,
      path: [...message_path, 'content', index, 'text'],
      text: block['text'],
      print: (piece) => printed({ content: [{ ...block, text: piece }], tool_call_chunks: [] }),
    },
  ];
}
