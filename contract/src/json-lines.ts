// Newline-delimited JSON (application/x-ndjson), both ways.

/** One line in printable ASCII alone: nothing within it can begin another line, or move the cursor of a terminal. */
export function printJsonLine(value: unknown): string {
  return `${JSON.stringify(value).replaceAll(/[\u007f-\uffff]/g, escaped)}\n`;
}

/** A line that the end of the stream cuts off is not reported. */
export async function* readJsonLines(stream: ReadableStream<Uint8Array>): AsyncIterable<unknown> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line);
  }
}

// In JSON text such a character stands within a string only, where it may as well be written so.
function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
