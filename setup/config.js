// @ts-check
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder this clone lives in. */
export const cloneFolder = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** The programs of the packages, with Node 24. */
export const packagePrograms = join(cloneFolder, 'node_modules', '.bin');

/** The base image of agents, unless BASE_IMAGE sets another. */
export const defaultBaseImage = 'python:3.12-slim-bookworm';

/**
 * The environment of the set-up scripts, read only here.
 *
 * @param {NodeJS.ProcessEnv} environment
 */
export function readConfig(environment = process.env) {
  const home = environment['HOME'] || homedir();
  const under = (/** @type {string} */ variable, /** @type {string} */ fallback) =>
    join(environment[variable] || join(home, fallback), 'gantry');
  const installationFolder = environment['GANTRY_HOME'] ? resolve(environment['GANTRY_HOME']) : undefined;
  return {
    home,
    installationFolder,
    cacheFolder: under('XDG_CACHE_HOME', '.cache'),
    dataFolder: under('XDG_DATA_HOME', '.local/share'),
    stateFolder: under('XDG_STATE_HOME', '.local/state'),
    settingsFile: join(installationFolder ?? under('XDG_CONFIG_HOME', '.config'), 'server.env'),
    searchPath: (environment['PATH'] ?? '').split(delimiter).filter(Boolean),
    dockerHost: environment['DOCKER_HOST'] || 'unix:///var/run/docker.sock',
    baseImage: environment['BASE_IMAGE'] || undefined,
    indexUrl: firstOf(environment, ['UV_DEFAULT_INDEX', 'UV_INDEX_URL', 'PIP_INDEX_URL']),
    // Complete bundles first: NODE_EXTRA_CA_CERTS may hold nothing but the extra authority.
    authorityFile: firstOf(environment, ['PIP_CERT', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS']),
    proxy: firstOf(environment, ['http_proxy', 'HTTP_PROXY'], /^http:/),
  };
}

/** @typedef {ReturnType<typeof readConfig>} Config */

/**
 * The environment for programs that belong to the clone: its own Node 24 is the first `node` they find.
 *
 * @param {Record<string, string>} additions
 * @param {NodeJS.ProcessEnv} environment
 * @returns {NodeJS.ProcessEnv}
 */
export function cloneEnvironment(additions = {}, environment = process.env) {
  return { ...environment, PATH: [packagePrograms, ...outsidePath(environment)].join(delimiter), ...additions };
}

/**
 * The environment for programs that must not run on the clone's Node. npm is one: it deletes that Node while it works.
 *
 * @param {Record<string, string>} additions
 * @param {NodeJS.ProcessEnv} environment
 * @returns {NodeJS.ProcessEnv}
 */
export function outsideEnvironment(additions = {}, environment = process.env) {
  /** @type {NodeJS.ProcessEnv} */
  const outside = { ...environment, PATH: outsidePath(environment).join(delimiter), ...additions };
  delete outside['NODE'];
  delete outside['npm_node_execpath'];
  return outside;
}

/** @param {NodeJS.ProcessEnv} environment */
function outsidePath(environment) {
  return (environment['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && !folder.startsWith(join(cloneFolder, 'node_modules')));
}

/**
 * @param {NodeJS.ProcessEnv} environment
 * @param {string[]} names
 * @param {RegExp} pattern what a value must look like
 */
function firstOf(environment, names, pattern = /./) {
  return names.map((name) => ({ name, value: environment[name] ?? '' })).find(({ value }) => pattern.test(value));
}
