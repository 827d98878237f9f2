// @ts-check
import { readConfig } from '../config.js';
import { findPackageIndex } from '../packages/package-index.js';
import { readSettings, writeSettings } from './settings-file.js';
import { print } from '../step.js';

/**
 * Image builds reach the package index like this machine: an extra certificate authority, an own index and a
 * company's proxy are recorded for the server, once. An existing line is somebody's choice and stays.
 *
 * @returns {Promise<string>} what was done, for the progress line
 */
export async function recordBuildSettings() {
  const { settingsFile } = readConfig();
  const present = readSettings(settingsFile);

  const recorded = [];
  for (const [key, value] of Object.entries(await found())) {
    if (value === undefined || present.has(key)) continue;
    writeSettings(settingsFile, { [key]: value.value });
    print(`  ${key} recorded from ${value.name}: ${withoutPassword(value.value)}`);
    recorded.push(key);
  }
  return recorded.length === 0 ? 'nothing new' : `written to ${settingsFile}`;
}

/**
 * The same as an environment, for services of a test or a measure: they have their own home and read no settings file.
 *
 * @returns {Promise<Record<string, string>>}
 */
export async function buildEnvironment() {
  /** @type {Record<string, string>} */
  const environment = {};
  for (const [key, value] of Object.entries(await found())) if (value !== undefined) environment[key] = value.value;
  return environment;
}

async function found() {
  const { authorityFile, indexUrl } = await findPackageIndex();
  return { BUILD_CA_FILE: authorityFile, BUILD_INDEX_URL: indexUrl, BUILD_PROXY: readConfig().proxy };
}

/** @param {string} value a path or an address */
export function withoutPassword(value) {
  return value.replace(/\/\/[^/@]*@/, '//…@');
}
