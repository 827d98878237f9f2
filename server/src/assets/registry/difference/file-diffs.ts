// The text of changed files as unified diffs. The pusher chooses their number, length and difference, so effort and length have limits. A
// file past a limit has a note; its size and hash still show the change.
import type { Difference } from '@gantry/contract/assets/difference.ts';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { textOf } from '@gantry/project/text-of.ts';
import type { ChangedFile } from './difference.ts';

/** A longer file is not compared. */
export const max_file_bytes = 100_000;
/** Further files are not compared. */
export const max_files = 50;
const max_text = 400_000;
// The algorithm takes about the square of the number of edits. The limits are a thousand edits in one file, and as many steps over all.
const max_steps = 1_000_000;

type FileChange = Difference['files'][number];

export function fileDiffs(
  files: readonly ChangedFile[],
  bytes: ReadonlyMap<string, Uint8Array> | 'not_permitted',
): FileChange[] {
  const left = { files: max_files, text: max_text, steps: max_steps };
  return files.map(({ path, change, was, is }) => {
    const sizes = { path, change, before_bytes: was?.size ?? null, after_bytes: is?.size ?? null };
    if (bytes === 'not_permitted') return { ...sizes, diff: null, no_diff: 'not_permitted' };
    if (left.files-- <= 0) return { ...sizes, diff: null, no_diff: 'too_large' };
    const [before, after] = [loaded(was, bytes), loaded(is, bytes)];
    if (before === undefined || after === undefined) return { ...sizes, diff: null, no_diff: 'too_large' };
    if (before === 'binary' || after === 'binary') return { ...sizes, diff: null, no_diff: 'binary' };
    const names = { before: was && `a/${path}`, after: is && `b/${path}` };
    const diff = unified(names, before.text, after.text, left);
    return diff === undefined ? { ...sizes, diff: null, no_diff: 'too_large' } : { ...sizes, diff, no_diff: null };
  });
}

/** Undefined for a file that was too large to load. */
function loaded(
  file: ChangedFile['was'],
  bytes: ReadonlyMap<string, Uint8Array>,
): { text: string } | 'binary' | undefined {
  if (file === undefined) return { text: '' };
  const found = bytes.get(file.sha256);
  if (found === undefined) return undefined;
  const text = textOf(found);
  return text === undefined ? 'binary' : { text };
}

function unified(
  names: { before: string | undefined; after: string | undefined },
  before: string,
  after: string,
  left: { text: number; steps: number },
): string | undefined {
  // With one side empty every line is an edit, so no search is needed.
  const oneSided = before === '' || after === '';
  const maxEditLength = oneSided ? max_file_bytes : Math.floor(Math.sqrt(left.steps));
  const [from, to] = [names.before ?? '/dev/null', names.after ?? '/dev/null'];
  const diff = createTwoFilesPatch(from, to, before, after, undefined, undefined, {
    context: 3,
    maxEditLength,
    headerOptions: FILE_HEADERS_ONLY,
  });
  if (!oneSided) left.steps -= (diff === undefined ? maxEditLength : editsIn(diff)) ** 2;
  if (diff === undefined || diff.length > left.text) return undefined;
  left.text -= diff.length;
  return diff;
}

function editsIn(diff: string): number {
  return diff.split('\n').filter((line) => line.startsWith('+') || line.startsWith('-')).length;
}
