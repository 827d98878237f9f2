// The place of a reader in the output of several containers. Its id is `floor;source=instant;…`: a source is read after its own instant, and
// every other source after the floor. The lines of several containers arrive in any order, so one instant alone could skip lines.
import { z } from 'zod';
import { isAfter } from '../instant.ts';

export interface Position {
  /** Undefined: every line is unread. */
  floor: string | undefined;
  /** Undefined for a source: all its lines are unread. */
  sources: Map<string, string | undefined>;
}

/** The name of an instance in a position. */
export const sourceKey = (instance_id: string): string => instance_id.slice(0, 13);

const instant = z.iso.datetime();
const entry = z.tuple([z.string().regex(/^[0-9a-f-]{13}$/), instant.or(z.literal(''))]);
const most_characters = 16_000;

/** Undefined for the id of another stream. */
export function readPosition(id: string): Position | undefined {
  if (id.length > most_characters) return undefined;
  const [first = '', ...rest] = id.split(';');
  const floor = instant.or(z.literal('')).safeParse(first);
  const sources = z.array(entry).safeParse(rest.map((each) => each.split('=')));
  if (!floor.success || !sources.success || (first === '' && rest.length === 0)) return undefined;
  return {
    floor: first === '' ? undefined : first,
    sources: new Map(sources.data.map(([key, at]) => [key, at === '' ? undefined : at])),
  };
}

export function printPosition({ floor = '', sources }: Position): string {
  return [floor, ...Array.from(sources, ([key, at = '']) => `${key}=${at}`)].join(';');
}

/** The later one. */
export function later(at: string, other: string | undefined): string {
  return other === undefined || isAfter(at, other) ? at : other;
}

export function isPassed(at: string, by: string | undefined): boolean {
  return by !== undefined && !isAfter(at, by);
}
