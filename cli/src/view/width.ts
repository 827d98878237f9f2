/** Columns that text takes in a terminal: East Asian wide characters and emoji take two, combining marks none. */
export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const segment of graphemes(text)) width += widthOfOne(segment);
  return width;
}

/** Cut to so many columns, with an ellipsis where something was cut off. */
export function fit(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let width = 1;
  for (const segment of graphemes(text)) {
    width += widthOfOne(segment);
    if (width > columns) break;
    kept += segment;
  }
  return `${kept}…`;
}

export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** Most text is ASCII; loading Unicode's tables for it would cost every command 15 ms. */
function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

// Unicode's wide blocks: Hangul, CJK, full-width forms; and pictographs.
const wideBlocks = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/;

function widthOfOne(segment: string): 1 | 2 {
  return wideBlocks.test(segment) || /\p{Emoji_Presentation}/u.test(segment) ? 2 : 1;
}
