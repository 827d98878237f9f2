import { widthOf } from './width.ts';

/**
 * A line wrapped at its words, below its own beginning. A word that is longer than the line stays whole, and so does a command in
 * backticks: people copy both. `columns` is undefined when nothing wraps; `indent` is the default for the second line on.
 */
export function wrapSentence(text: string, columns: number | undefined, indent = leadingSpaces(text)): string {
  if (columns === undefined || widthOf(text) <= columns || columns - indent < least_room) return text;
  const lines: string[] = [];
  let current = '';
  for (const word of words(text)) {
    const longer = current + word;
    const fits = widthOf(longer.trimEnd()) <= columns;
    if (fits || current.trim() === '' || widthOf(word.trim()) > columns - indent) current = longer;
    else {
      lines.push(current.trimEnd());
      current = ' '.repeat(indent) + word.trimStart();
    }
  }
  return [...lines, current].join('\n');
}

/** Each with the spaces before it. */
function words(text: string): string[] {
  const bound = text.replaceAll(/`[^`]+`/g, (command) => command.replaceAll(' ', bound_space));
  return (bound.match(/ *[^ ]+| +$/g) ?? []).map((word) => word.replaceAll(bound_space, ' '));
}

// A character of the private use area, so no text has it.
const bound_space = '\ue000';
const least_room = 20;

function leadingSpaces(text: string): number {
  return /^ */.exec(text)?.[0].length ?? 0;
}
