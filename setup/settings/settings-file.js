// @ts-check
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * The server's settings file: `KEY=value` lines, `#` comments, readable by its owner only because an index address may carry a password.
 *
 * @param {string} path
 * @returns {Map<string, string>}
 */
export function readSettings(path) {
  return parseSettings(existsSync(path) ? readFileSync(path, 'utf8') : '');
}

/**
 * Sets keys in the file and leaves every other line as it is. Writes nothing when nothing changes.
 *
 * @param {string} path
 * @param {Record<string, string>} changes
 * @returns {boolean} whether the file changed
 */
export function writeSettings(path, changes) {
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const after = applySettings(before, changes);
  if (after === before) return false;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, after, { mode: 0o600 });
  chmodSync(unfinished, 0o600); // the mode above is cut by the umask, never widened
  renameSync(unfinished, path);
  return true;
}

/** @param {string} text */
function parseSettings(text) {
  const pairs = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !line.startsWith('#') && line.includes('='))
    .map((line) => {
      const at = line.indexOf('=');
      return /** @type {const} */ ([line.slice(0, at).trim(), line.slice(at + 1).trim()]);
    });
  return new Map(pairs);
}

/**
 * @param {string} text
 * @param {Record<string, string>} changes
 */
export function applySettings(text, changes) {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  for (const [key, value] of Object.entries(changes)) {
    if (/[\r\n]/.test(value)) throw new Error(`the value of ${key} holds a line break`);
    const at = lines.findIndex((line) => line.trim().startsWith(`${key}=`));
    if (at === -1) lines.push(`${key}=${value}`);
    else lines[at] = `${key}=${value}`;
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}
