/**
 * The words of a text as the search knows them: lower case, split at everything but letters and digits. Documents and
 * queries use this one function; PostgreSQL only stores and matches (its parser keeps `a.b` and `x/y` in one piece).
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
