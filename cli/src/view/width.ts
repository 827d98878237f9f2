import fastStringWidth from 'fast-string-width';

/** The columns of a text in a terminal: East Asian wide characters and emoji take two, combining marks none. */
export function widthOf(text: string): number {
  return isPlain(text) ? text.length : fastStringWidth(text);
}

/** Cut to this many columns, with an ellipsis when something was cut. */
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

/** Most text is ASCII, and its width is its length. */
function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}
