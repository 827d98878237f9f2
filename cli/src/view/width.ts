import fastStringWidth from 'fast-string-width';

/** Columns that text takes in a terminal: East Asian wide characters and emoji take two, combining marks none. */
export function widthOf(text: string): number {
  return isPlain(text) ? text.length : fastStringWidth(text);
}

/** Cut to so many columns, with an ellipsis where something was cut off. */
export function fit(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let width = 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += widthOf(segment);
    if (width > columns) break;
    kept += segment;
  }
  return `${kept}…`;
}

export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** Most text is ASCII, and its width needs no table. */
function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}
