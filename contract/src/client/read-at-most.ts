/** The body as text; undefined when it is longer, and then its connection is closed. */
export async function readAtMost(response: Response, bytes: number): Promise<string | undefined> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let read = 0;
  // Without the type, the chunks of a body are `any`.
  const body: AsyncIterable<Uint8Array<ArrayBuffer>> = response.body;
  for await (const chunk of body) {
    read += chunk.byteLength;
    // Leaving the loop cancels the stream.
    if (read > bytes) return undefined;
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}
