// @ts-check
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The first folder's file of that name that this user may run.
 *
 * @param {string} name
 * @param {string[]} folders
 */
export function findExecutable(name, folders) {
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // the answer to the question asked, not a fault
  }
}
