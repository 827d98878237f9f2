/** Undefined for what is no JSON; the form says so. */
export function parseAnswer(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
