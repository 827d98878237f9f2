// The past lines of several containers, sorted by time.
import { sortable } from '../instant.ts';

interface Timed {
  at: string;
  line: string;
}

/** Reads each list as far as needed. */
export async function* mergeByTime<Line extends Timed>(lists: readonly AsyncIterable<Line>[]): AsyncGenerator<Line> {
  const readers = lists.map((list) => list[Symbol.asyncIterator]());
  const heads: { reader: AsyncIterator<Line>; line: Line; order: string }[] = [];
  const advance = async (reader: AsyncIterator<Line>) => {
    const next = await reader.next();
    if (next.done !== true) heads.push({ reader, line: next.value, order: sortable(next.value.at) });
  };
  try {
    for (const reader of readers) await advance(reader);
    while (heads.length > 0) {
      let first = 0;
      for (let at = 1; at < heads.length; at++) if ((heads[at]?.order ?? '') < (heads[first]?.order ?? '')) first = at;
      const [head] = heads.splice(first, 1);
      if (head === undefined) return;
      yield head.line;
      await advance(head.reader);
    }
  } finally {
    for (const reader of readers) await reader.return?.();
  }
}

// As much as the engine keeps of a container.
const max_characters = 32_000_000;

/** The last lines of a list. A notice in front says when fewer are here because they are too large for the memory. */
export async function* lastLines<Line extends Timed>(
  lines: AsyncIterable<Line>,
  { tail, max = max_characters }: { tail: number; max?: number },
): AsyncGenerator<Line> {
  const kept: Line[] = [];
  let [first, characters, seen] = [0, 0, 0];
  for await (const line of lines) {
    seen += 1;
    kept.push(line);
    characters += line.line.length;
    while (kept.length - first > tail || characters > max) {
      characters -= kept[first]?.line.length ?? 0;
      first += 1;
    }
    if (first >= 1000) first -= kept.splice(0, first).length;
  }
  const last = kept.slice(first);
  const [oldest] = last;
  if (oldest !== undefined && last.length < Math.min(tail, seen)) yield { ...oldest, line: notice };
  yield* last;
}

const notice = JSON.stringify({
  level: 'warning',
  event: 'log_cut',
  message: 'Earlier lines are too large for one answer.',
});
