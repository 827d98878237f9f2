/**
 * The words of a text for the search: lower case, split at all characters except letters and digits. Documents and queries use this
 * function. PostgreSQL only stores and matches, because its parser does not split `a.b` and `x/y`.
 */
export function words(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** `greet ml` → each word as a prefix, all required; undefined for a text without a word. */
export function prefixQuery(text: string): string | undefined {
  const found = words(text);
  // Only letters and digits, so the text contains no operator of tsquery.
  return found.length === 0 ? undefined : found.map((word) => `${word}:*`).join(' & ');
}
