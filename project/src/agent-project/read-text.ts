import type { Finding, FindingCode } from '../finding.ts';
import { megabytes } from './limits.ts';
import type { ProjectFile, ProjectFiles } from './files.ts';

/** The text of a file that the service itself reads, or the reason for its absence. */
export function readText(files: ProjectFiles, { path, size, type }: ProjectFile, most: number): string | Finding {
  const finding = (code: FindingCode, message: string, suggestion?: string): Finding => ({
    code,
    severity: 'error',
    message,
    file: path,
    line: 1,
    column: 1,
    pointer: '',
    ...(suggestion === undefined ? {} : { suggestion }),
  });
  if (type !== 'file')
    return finding(
      'not_a_file',
      `${path} is ${type === 'directory' ? 'a directory' : 'not a plain file'}`,
      `Put a file named ${path} there.`,
    );
  if (size > most)
    return finding('file_too_large', `${path} has ${megabytes(size)}; at most ${megabytes(most)} are accepted`);
  const bytes = files.read(path);
  try {
    return decoder.decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    return finding('not_utf8', `${path} is ${isUtf16 ? 'UTF-16' : 'not valid UTF-8'}`, 'Save it as UTF-8.');
  }
}

/** Keeps a byte order mark, so that offsets match the file. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
