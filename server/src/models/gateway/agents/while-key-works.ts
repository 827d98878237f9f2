import type { Reply } from '../../../governance/http/answer/reply.ts';
import type { OpenCalls } from '../admission/open-calls.ts';

/** The answer to a caller with a key. The end of the key ends the answer, also in the middle of its stream. */
export async function answerWhileKeyWorks<Answer extends Reply | void>(
  open_calls: OpenCalls,
  { key_id, client }: { key_id: string; client: AbortSignal },
  answering: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const open = open_calls.open(key_id, client);
  // A client that leaves before it reads the stream begins none of it.
  client.addEventListener('abort', () => open.close(), { once: true });
  try {
    const reply = await open.whileKeyWorks(answering(open.signal));
    if (reply !== undefined && isStream(reply.body)) return { ...reply, body: closing(reply.body, () => open.close()) };
    open.close();
    return reply;
  } catch (error) {
    open.close();
    throw error;
  }
}

type Body = Reply['body'];
type Chunks = Extract<Body, AsyncIterable<unknown>>;

const isStream = (body: Body): body is Chunks => typeof body === 'object' && Symbol.asyncIterator in body;

async function* closing(chunks: Chunks, close: () => void): AsyncGenerator<string | Uint8Array> {
  try {
    yield* chunks;
  } finally {
    close();
  }
}
