/** PostgreSQL's text and jsonb store no NUL character and no half of a surrogate pair: each becomes U+FFFD. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}
