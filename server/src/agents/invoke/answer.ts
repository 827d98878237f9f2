import type { Dispatcher } from 'undici';
import { Problem, problemDocument } from '@gantry/contract/problems.ts';

/** An agent's whole, unchanged answer. */
export interface Answer {
  status: number;
  content_type: string;
  body: Buffer;
}

/** An answer may wait for its caller in memory, and later in the database. */
export const max_answer_bytes = 32 * 1024 * 1024;

/** Throws `agent_unavailable` when the connection breaks before the end, and `agent_error` when the answer is too large. */
export async function readAnswer(
  ref: string,
  given: Omit<Answer, 'body'> & Pick<Dispatcher.ResponseData, 'body'>,
): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Without an encoding the body gives buffers.
    for await (const chunk of given.body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > max_answer_bytes) throw tooLarge(ref);
      chunks.push(chunk);
    }
  } catch (cause) {
    throw cause instanceof Problem ? cause : brokenConnection(ref, cause);
  }
  return { status: given.status, content_type: given.content_type, body: Buffer.concat(chunks, size) };
}

export function answerOf(problem: Problem): Answer {
  return {
    status: problem.status,
    content_type: 'application/problem+json',
    body: Buffer.from(JSON.stringify(problemDocument(problem))),
  };
}

function tooLarge(ref: string): Problem {
  return new Problem('agent_error', {
    detail: `The answer of ${ref} is larger than ${max_answer_bytes / 1024 ** 2} MB.`,
  });
}

export function brokenConnection(ref: string, cause: unknown): Problem {
  const problem = new Problem('agent_unavailable', {
    detail: `The connection to ${ref} broke before the end of its answer: the container stopped or died.`,
  });
  problem.cause = cause;
  return problem;
}
