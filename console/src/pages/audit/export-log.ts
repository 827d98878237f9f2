import { printJsonLine } from '@gantry/contract/formats/json-lines.ts';
import { send } from '../../server.ts';

/** Every entry as stored, as `svc audit export` writes it. */
export async function exportLog(tell: (entries: number) => void, signal: AbortSignal): Promise<Blob> {
  const { answer } = await send('audit.export', { query: {} }, { signal });
  const parts: Blob[] = [];
  let text = '';
  let entries = 0;
  let isWhole = false;
  for await (const line of answer) {
    text += printJsonLine(line);
    isWhole = line.kind === 'cursor';
    if (line.kind !== 'entry' || ++entries % 1000 !== 0) continue;
    // A blob may live outside of the page's memory.
    parts.push(new Blob([text]));
    text = '';
    tell(entries);
  }
  if (!isWhole) throw new Error(`The export ended early, after ${entries} entries.`);
  return new Blob([...parts, text], { type: 'application/x-ndjson' });
}
