/** The whole body. Leaving the loop ends its connection. Throws `tooMuch()` past so many bytes. */
export async function readAtMost(
  body: AsyncIterable<Uint8Array>,
  most_bytes: number,
  tooMuch: () => Error,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > most_bytes) throw tooMuch();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
