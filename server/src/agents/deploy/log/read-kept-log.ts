import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Reader } from '../../../ground/database/database.ts';
import { isAfter } from '../instant.ts';
import type { LogLine } from '../targets/target.ts';
import * as store from './kept-log-store.ts';

/** A notice says that lines are missing. No filter hides it. */
export type SourceLine = LogLine & { is_notice?: boolean };

const unzip = promisify(gunzip);
// A part ends with the line that fills it. Escaped, a piece of 16 KB has at most six times its length.
const max_part_bytes = 1024 ** 2;

/** One part after the other. Parts that end before `since`, and those before the last `tail` lines, are not read. */
export async function* readKeptLog(
  db: Reader,
  row: store.KeptLogRow,
  { since, tail }: { since?: string | undefined; tail?: number | undefined },
): AsyncGenerator<SourceLine> {
  const all = await store.partsOf(db, row.instance_id);
  if (row.cut_bytes > 0) {
    const message = `The first ${row.cut_bytes} bytes of this output are not kept.`;
    yield notice({ at: all[0]?.first_at ?? row.last_at, event: 'log_cut', message });
  }
  let later = 0;
  const wanted = all.toReversed().filter(({ lines, last_at }) => {
    const isEnough = tail !== undefined && later >= tail;
    later += lines;
    return !isEnough && (since === undefined || !isAfter(since, last_at));
  });
  for (const { part } of wanted.toReversed()) {
    const content = await store.partContent(db, row.instance_id, part);
    if (content === undefined) continue;
    const text = (await unzip(content, { maxOutputLength: max_part_bytes })).toString();
    // Written by keep-log.ts.
    for (const written of text.split('\n')) if (written !== '') yield JSON.parse(written) as LogLine;
  }
}

/** In the form of the wrapper's own lines. */
export function notice({ at, event, message }: { at: string; event: string; message: string }): SourceLine {
  return { at, stream: 'stderr', line: JSON.stringify({ level: 'warning', event, message }), is_notice: true };
}
