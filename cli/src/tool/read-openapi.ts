// The text of an OpenAPI document: of a file, of stdin, or at an address.
import { readGiven } from '../input/read-given.ts';
import { CliRefusal } from '../refusal.ts';

const answer_ms = 30_000;
const most_bytes = 4_000_000;

/** `url` is where servers of the document can be relative to. */
export async function readOpenApi(given: string): Promise<{ text: string; url: string | undefined }> {
  if (!/^https?:\/\//i.test(given)) return { text: await readGiven(given), url: undefined };
  try {
    return { text: await textAt(given), url: given };
  } catch (error) {
    if (error instanceof CliRefusal) throw error;
    throw unreadable(given, error instanceof Error ? error.message : 'it failed');
  }
}

async function textAt(url: string): Promise<string> {
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(answer_ms) });
  if (!answer.ok) throw unreadable(url, `it answers ${answer.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // Leaving the loop ends the connection.
    if (bytes > most_bytes) throw unreadable(url, `it has more than ${most_bytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function unreadable(url: string, reason: string): CliRefusal {
  return new CliRefusal('document_unreadable', `${url} cannot be read: ${reason}`);
}
