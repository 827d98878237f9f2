// The files of a call: each part of its body that is one, wherever it is. A graph decides by itself under which names it keeps messages.
import { readFilePart, type FilePart } from '@gantry/contract/agents/files/file-part.ts';
import { yieldTurn } from '../../../ground/yield-turn.ts';

export interface FoundFile {
  file: FilePart;
  place: Place;
}

/** A value of the body. A pointer is printed for those alone that are shown: the names in it can have megabytes. */
export interface Place {
  name: string | number;
  above: Place | undefined;
}

/** `body` is JSON, and not nested deeper than a request may be. Throws the reason of the signal. */
export async function findFiles(body: unknown, signal?: AbortSignal): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  if (!isObject(body)) return found;
  const walk = walkInto(body, { name: '', above: undefined }, { found, read: 0 });
  for (let step = walk.next(); step.done !== true; step = walk.next()) await yieldTurn(signal);
  return found;
}

const most_pointer = 200;

/** A JSON pointer, cut at 200 characters. */
export function printPlace({ name, above }: Place): string {
  if (above === undefined) return '';
  const escaped = String(name).slice(0, most_pointer).replaceAll('~', '~0').replaceAll('/', '~1');
  return `${printPlace(above)}/${escaped}`.slice(0, most_pointer);
}

interface Walking {
  found: FoundFile[];
  /** The values read so far. */
  read: number;
}

const values_per_part = 1024;

/** Yields between its parts. */
function* walkInto(value: object, place: Place, walking: Walking): Generator<undefined> {
  const isList = Array.isArray(value);
  const file = isList ? undefined : readFilePart(value);
  if (file !== undefined) walking.found.push({ file, place });
  for (const name of isList ? value.keys() : Object.keys(value)) {
    if (++walking.read % values_per_part === 0) yield;
    const member = (value as Record<string | number, unknown>)[name];
    if (isObject(member)) yield* walkInto(member, { name, above: place }, walking);
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
