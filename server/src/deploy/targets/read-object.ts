const longest = 1_000_000;

/**
 * The JSON object in the answer of an agent's container. For any other answer the object is empty. The user's code shares the process
 * with the wrapper, so the answer may have any content and any length.
 */
export async function readObject(response: Response): Promise<Record<string, unknown>> {
  let text = '';
  const decoder = new TextDecoder();
  const chunks: AsyncIterable<Uint8Array> | [] = response.body ?? [];
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > longest) return {};
  }
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}
