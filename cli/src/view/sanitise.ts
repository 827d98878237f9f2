/**
 * Text as it may go to a terminal: no escape sequence, no control character, nothing that reorders the text. Every text from a server, a
 * project or a log passes here before it is printed. A removed character stays visible as its code point, so that the line does not look
 * harmless.
 */
export function sanitise(text: string): string {
  return text.replaceAll(unsafe, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The same for one line: line breaks and tabs become spaces. */
export function sanitiseLine(text: string): string {
  return sanitise(text.replaceAll(/\r?\n|\t|[\u2028\u2029]/g, ' '));
}

// Control characters except tab and line feed: C0, delete, and C1 with its 8-bit escapes. Line and paragraph separators, the bidirectional
// controls of Unicode's UAX 9. Invisible characters, tag characters, lone surrogates. The two joiners (200C, 200D) stay: scripts and emoji
// need them.
const unsafe =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}\ud800-\udfff]/gu;
