/** PostgreSQL's text and jsonb store no NUL character and no half of a surrogate pair: each becomes U+FFFD. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

/** The value as JSON for a jsonb column. An absent value is JSON's null. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value ?? null, storable);
}

// Cleans the text before it becomes JSON. In JSON, a NUL and a written-out escape of NUL look the same.
function storable(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null || Object.keys(value).every((key) => storableText(key) === key))
    return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [storableText(key), member]));
}
