import type { Finding } from '../finding.ts';
import type { ProjectFile } from './files.ts';

/** Limits of a project, for the server's unpacking and for the CLI's packing. */
export const projectLimits = {
  packed_bytes: 50_000_000,
  unpacked_bytes: 200_000_000,
  files: 10_000,
  file_bytes: 50_000_000,
  /** Unpacked to packed. */
  ratio: 100,
  /** The limits of a path: its segments, and its bytes in UTF-8. */
  depth: 32,
  path_bytes: 255,
} as const;

/** The exceeded limits, and the paths that are not plain relative ones. */
export function checkLimits(files: readonly ProjectFile[]): Finding[] {
  const findings: Finding[] = [];
  const add = (code: Finding['code'], file: string, message: string, suggestion?: string): void => {
    findings.push({
      code,
      severity: 'error',
      message,
      file,
      line: 1,
      column: 1,
      pointer: '',
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  };
  let bytes = 0;
  for (const { path, size, type } of files) {
    const segments = path.split('/');
    bytes += size;
    if (unsafe.test(path) || segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
      add(
        'unsafe_path',
        path,
        'This path is not accepted',
        'Use plain names, without backslashes, colons at the second place or control characters.',
      );
    }
    if (segments.length > projectLimits.depth)
      add(
        'project_too_large',
        path,
        `The path has ${segments.length} levels; at most ${projectLimits.depth} are accepted`,
      );
    if (encoder.encode(path).length > projectLimits.path_bytes)
      add('project_too_large', path, `The path is longer than ${projectLimits.path_bytes} bytes`);
    if (size > projectLimits.file_bytes)
      add(
        'project_too_large',
        path,
        `The file has ${megabytes(size)}; at most ${megabytes(projectLimits.file_bytes)} are accepted`,
        out_of_the_folder,
      );
    if (type === 'other')
      add(
        'not_a_file',
        path,
        'Only plain files and directories are accepted, no links or devices',
        'Put the file itself here.',
      );
  }
  if (files.length > projectLimits.files)
    add(
      'project_too_large',
      '.',
      `The project has ${files.length} files; at most ${projectLimits.files} are accepted`,
      `${largest(files, () => 1)} ${out_of_the_folder}`,
    );
  if (bytes > projectLimits.unpacked_bytes)
    add(
      'project_too_large',
      '.',
      `The project has ${megabytes(bytes)}; at most ${megabytes(projectLimits.unpacked_bytes)} are accepted`,
      `${largest(files)} ${out_of_the_folder}`,
    );
  return findings;
}

const out_of_the_folder =
  'Move it out of the project folder: an agent fetches data and models while it runs, or finds them in a knowledge base.';

/** Rounded up, so that a size above a limit never prints as the limit. */
export const megabytes = (bytes: number): string => `${Math.ceil(bytes / 100_000) / 10} MB`;

/** The file or folder at the top of the project with the most bytes, or with the most of `measure`. */
export function largest(files: readonly ProjectFile[], measure?: (file: ProjectFile) => number): string {
  const totals = new Map<string, number>();
  for (const file of files) {
    const [top = '', below] = file.path.split('/');
    const name = below === undefined ? top : `${top}/`;
    totals.set(name, (totals.get(name) ?? 0) + (measure === undefined ? file.size : measure(file)));
  }
  const [name, total] = [...totals].toSorted(([, a], [, b]) => b - a)[0] ?? ['.', 0];
  return `The most is in ${name} (${measure === undefined ? megabytes(total) : `${total} files`}).`;
}

const unsafe = /^[A-Za-z]:|[\\\u0000-\u001f\u007f]/;
const encoder = new TextEncoder();
