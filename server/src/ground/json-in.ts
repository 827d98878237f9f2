/** The JSON of a text. Undefined for another text: no JSON means it, so the schema of the reader refuses it. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
