// Characters that a person does not see and a model reads. They hide instructions from whoever reviews a text.
import type { Finding } from '../finding.ts';
import { lineFinder } from '../line-finder.ts';

interface HiddenKind {
  what: string;
  from: number;
  to: number;
}

// Joiners, marks of direction (U+200C to U+200F) and variants (U+FE00 to U+FE0F) are part of ordinary Persian, Arabic and Hebrew, and of emoji.
// Only a row of them carries a text.
const kinds: readonly HiddenKind[] = [
  { what: 'a control character', from: 0x00, to: 0x08 },
  { what: 'a control character', from: 0x0b, to: 0x0c },
  { what: 'a control character', from: 0x0e, to: 0x1f },
  { what: 'a control character', from: 0x7f, to: 0x9f },
  { what: 'a soft hyphen', from: 0xad, to: 0xad },
  { what: 'an invisible filler', from: 0x115f, to: 0x1160 },
  { what: 'an invisible separator', from: 0x180e, to: 0x180e },
  { what: 'a space without width', from: 0x200b, to: 0x200b },
  { what: 'a change of the order of the text', from: 0x202a, to: 0x202e },
  { what: 'an invisible character', from: 0x2060, to: 0x2064 },
  { what: 'a change of the order of the text', from: 0x2066, to: 0x2069 },
  { what: 'an invisible character', from: 0x206a, to: 0x206f },
  { what: 'an invisible filler', from: 0x3164, to: 0x3164 },
  { what: 'a byte order mark', from: 0xfeff, to: 0xfeff },
  { what: 'an invisible filler', from: 0xffa0, to: 0xffa0 },
  { what: 'an invisible annotation', from: 0xfff9, to: 0xfffb },
  { what: 'a tag character', from: 0xe0000, to: 0xe007f },
  { what: 'an invisible variant', from: 0xe0100, to: 0xe01ef },
];

const single = kinds.map(({ from, to }) => `${escaped(from)}-${escaped(to)}`).join('');
const hidden = new RegExp(`[${single}]|[\\u200c-\\u200f\\ufe00-\\ufe0f]{3}`, 'gu');
const most = 20;

/** One finding for each line with such characters, at most twenty. */
export function hiddenCharacters(text: string, file: string): Finding[] {
  const find = lineFinder(text);
  const found = new Map<number, Finding>();
  for (const { 0: character, index } of text.matchAll(hidden)) {
    const place = find(index);
    if (found.has(place.line)) continue;
    if (found.size === most) break;
    const code = character.codePointAt(0) ?? 0;
    const what =
      kinds.find(({ from, to }) => from <= code && code <= to)?.what ?? 'the first of a row of invisible characters';
    found.set(place.line, {
      code: 'hidden_character',
      severity: 'error',
      message: `U+${code.toString(16).toUpperCase().padStart(4, '0')} is ${what}: it can hide instructions from the people who review this text`,
      file,
      ...place,
      pointer: '',
      suggestion: 'Remove it, or write what it stands for in visible characters.',
    });
  }
  return [...found.values()];
}

function escaped(code: number): string {
  return `\\u{${code.toString(16)}}`;
}
