const longest = 1_000_000;

/**
 * The JSON object in the answer of an agent's container. For any other answer the object is empty. The user's code shares the process
 * with the wrapper, so the answer may have any content and any length.
 */
export async function readObject(body: AsyncIterable<Uint8Array> | null): Promise<Record<string, unknown>> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > longest) return {};
  }
  try {
    const said: unknown = JSON.parse(text);
    return typeof said === 'object' && said !== null ? { ...said } : {};
  } catch {
    return {};
  }
}
