// @ts-check
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const measuredFolders = ['contract', 'project', 'server', 'cli'];
const long_file_lines = 300;

/**
 * One line about the lengths of the product's source files, without tests. Short files stay readable.
 *
 * @param {string} clone
 */
export function fileLengths(clone) {
  const lengths = measuredFolders
    .flatMap((folder) => sourceFiles(join(clone, folder)))
    .map((path) => readFileSync(path, 'utf8').split('\n').length - 1);
  return describeLengths(lengths);
}

/** @param {number[]} lengths */
export function describeLengths(lengths) {
  if (lengths.length === 0) return '  file lengths: no source files yet';
  const sorted = lengths.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  const long = lengths.filter((length) => length > long_file_lines).length;
  const share = ((100 * long) / lengths.length).toFixed(1);
  return `  file lengths: ${lengths.length} files, median ${at(0.5)} lines, 90th percentile ${at(0.9)}, ${share} % past ${long_file_lines}`;
}

/** @param {string} folder @returns {string[]} */
function sourceFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sourceFiles(path);
    return /\.[jt]sx?$/.test(entry.name) && !entry.name.includes('.test.') ? [path] : [];
  });
}
