// Newline-delimited JSON (application/x-ndjson), both ways.

/** One line of printable ASCII: no character in it starts another line or moves a terminal's cursor. */
export function printJsonLine(value: unknown): string {
  return `${JSON.stringify(value).replaceAll(/[\u007f-\uffff]/g, escaped)}\n`;
}

/** An incomplete last line is dropped. */
export async function* readJsonLines(stream: ReadableStream<Uint8Array>): AsyncIterable<unknown> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line);
  }
}

// In JSON text such a character only occurs in strings, where an escape is equal.
function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
