// A server can ask the user something in the middle of a call. Nobody is there to answer, so each question is declined, in both generations of the protocol,
// and the trace of the call says that there was one.
import type { Client } from '@modelcontextprotocol/client';

/** The number of questions so far. The client has declared `elicitation`. */
export function declineQuestions(client: Client): () => number {
  let count = 0;
  client.setRequestHandler('elicitation/create', () => {
    count += 1;
    return { action: 'decline' };
  });
  return () => count;
}
