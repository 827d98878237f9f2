// Colours that a program wrote into its output, as the colours of the console.
import Anser, { type AnserJsonEntry } from 'anser';

const colours: Readonly<Record<string, string>> = {
  red: 'text-failed',
  green: 'text-good',
  yellow: 'text-waiting',
  blue: 'text-code-name',
  magenta: 'text-code-number',
  cyan: 'text-accent',
  black: 'text-quiet',
};
const decorations: Readonly<Record<string, string>> = {
  bold: 'font-strong',
  dim: 'text-quiet',
  italic: 'italic',
  underline: 'underline',
  strikethrough: 'line-through',
};

const escape = '\u001B';

export function Ansi({ text }: { text: string }) {
  if (!text.includes(escape)) return text;
  return Anser.ansiToJson(text, { json: true, remove_empty: true, use_classes: true }).map((part, index) => (
    <span key={index} className={classOf(part)}>
      {part.content}
    </span>
  ));
}

/** The text alone. */
export function withoutAnsi(text: string): string {
  return text.includes(escape) ? Anser.ansiToText(text) : text;
}

function classOf({ fg, decorations: given }: AnserJsonEntry): string {
  const colour = typeof fg === 'string' ? colours[fg.replace('ansi-', '').replace('bright-', '')] : undefined;
  return [colour, ...given.map((each) => decorations[each])].filter((each) => each !== undefined).join(' ');
}
