/** One word of a POSIX shell. A value of an address is anybody's text, and must not become a command of the line that is copied. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
