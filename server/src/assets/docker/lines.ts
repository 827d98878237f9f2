import { StringDecoder } from 'node:string_decoder';
import { Writable } from 'node:stream';

export interface LineSplitter {
  stream: Writable;
  /** The end of the output, at most `keep_bytes` characters. */
  text: () => string;
}

/** Splits a byte stream into lines, for all chunk boundaries, also within characters. A line is cut at 16,384 characters. */
export function lineSplitter({
  keep_bytes,
  onLine,
}: {
  keep_bytes: number;
  onLine?: ((line: string) => void) | undefined;
}): LineSplitter {
  const decoder = new StringDecoder('utf8');
  let kept = '';
  let rest = '';
  const emit = (line: string) => onLine?.(line.replace(/\r$/, ''));
  const take = (text: string) => {
    kept = (kept + text).slice(-keep_bytes);
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(emit);
    for (; rest.length > 16_384; rest = rest.slice(16_384)) emit(rest.slice(0, 16_384));
  };
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      take(decoder.write(chunk));
      done();
    },
    final(done) {
      take(decoder.end());
      if (rest !== '') emit(rest);
      rest = '';
      done();
    },
  });
  return { stream, text: () => kept };
}
