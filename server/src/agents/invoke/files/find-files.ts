// The files of a call: each part of its body that is one, wherever it is. A graph decides by itself under which names it keeps messages.
import { readFilePart, type FilePart } from '@gantry/contract/agents/files/file-part.ts';
import { yieldTurn } from '../../../ground/yield-turn.ts';

export interface FoundFile {
  file: FilePart;
  /** A JSON pointer. */
  pointer: string;
  /** The pointer of what it is in: the content of its message. */
  message: string;
}

/** `body` is JSON, and not nested deeper than a request may be. Throws the reason of the signal. */
export async function findFiles(body: unknown, signal?: AbortSignal): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  if (typeof body !== 'object' || body === null) return found;
  const walk = walkInto(body, { pointer: '', above: '' }, { found, read: 0 });
  for (let step = walk.next(); step.done !== true; step = walk.next()) await yieldTurn(signal);
  return found;
}

interface Walking {
  found: FoundFile[];
  /** The values read so far. */
  read: number;
}

const values_per_part = 1024;

interface Place {
  pointer: string;
  above: string;
}

/** Yields between its parts. */
function* walkInto(value: object, { pointer, above }: Place, walking: Walking): Generator<undefined> {
  if (++walking.read % values_per_part === 0) yield;
  const file = Array.isArray(value) ? undefined : readFilePart(value);
  if (file !== undefined) walking.found.push({ file, pointer, message: above });
  for (const [name, member] of Object.entries(value) as [string, unknown][])
    if (typeof member === 'object' && member !== null)
      yield* walkInto(member, { pointer: `${pointer}/${escaped(name)}`, above: pointer }, walking);
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');
