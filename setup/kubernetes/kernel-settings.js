// @ts-check
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldersOfClusters } from './layout.js';

/** A kubelet sets these, for the whole machine. */
const changed = ['kernel/panic', 'kernel/panic_on_oops', 'vm/overcommit_memory'];

/** Saves what the machine had before its first cluster. */
export function saveKernelSettings() {
  if (existsSync(saved())) return;
  mkdirSync(foldersOfClusters(), { recursive: true });
  writeFileSync(
    saved(),
    JSON.stringify(Object.fromEntries(changed.map((name) => [name, readFileSync(placeOf(name), 'utf8')]))),
  );
}

/** After the last cluster. */
export function restoreKernelSettings() {
  if (!existsSync(saved())) return;
  const before = /** @type {Record<string, string>} */ (JSON.parse(readFileSync(saved(), 'utf8'))); // written above
  for (const [name, value] of Object.entries(before)) writeFileSync(placeOf(name), value);
  rmSync(saved());
}

function saved() {
  return join(foldersOfClusters(), 'kernel-settings.json');
}

/** @param {string} name */
function placeOf(name) {
  return join('/proc/sys', name);
}
