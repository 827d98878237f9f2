/**
 * The words of a text as the search knows them: lower case, split at everything that is neither letter nor digit. Documents and
 * queries go through this one function; PostgreSQL only stores and matches (its own parser would keep `a.b` and `x/y` in one piece).
 */
export function words(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** `greet ml` → every word that starts so, all of them needed; undefined when there is no word in it. */
export function prefixQuery(text: string): string | undefined {
  const found = words(text);
  // Letters and digits only, so nothing in them is an operator of tsquery.
  return found.length === 0 ? undefined : found.map((word) => `${word}:*`).join(' & ');
}
