// @ts-check
/**
 * The base image of agents. The image in BASE_IMAGE (environment, else the server's settings file) is used from the engine, or
 * pulled. Only the default is made from Debian's packages when no registry can be reached. A chosen image
 * is never replaced.
 */
import { defaultBaseImage, readConfig } from '../config.js';
import { callEngine, readText } from './engine-api.js';
import { madeImage, makeBaseImage } from './make-base-image.js';
import { pullImage } from './pull-image.js';
import { readSettings } from '../settings/settings-file.js';
import { print, SetupProblem } from '../step.js';

const inspect_timeout_seconds = 10;

/** The image made here, without a registry. */
export const madeBaseImage = madeImage('bookworm');

/**
 * @param {(doing: string) => void} say
 * @returns {Promise<string>} the reference of the image to use
 */
export async function ensureBaseImage(say) {
  const { baseImage, settingsFile, dockerHost } = readConfig();
  const wanted = baseImage ?? readSettings(settingsFile).get('BASE_IMAGE') ?? defaultBaseImage;
  for (const reference of acceptableImages(wanted)) {
    if (await hasImage(dockerHost, reference)) return reference;
  }

  say(`pulling ${wanted}`);
  const pulled =
    wanted === madeBaseImage ? { reason: 'it exists nowhere else' } : await pullImage(dockerHost, wanted, say);
  if (pulled.reason === undefined) return wanted;
  if (acceptableImages(wanted).includes(madeBaseImage)) {
    print(`  ${wanted} cannot be pulled (${pulled.reason}): making ${madeBaseImage} from Debian's packages instead`);
    await makeBaseImage(dockerHost, 'bookworm', say);
    return madeBaseImage;
  }
  throw new SetupProblem({
    cause: `the base image ${wanted} is not on this machine and cannot be pulled: ${pulled.reason}`,
    fix: `docker load -i <its archive>, or correct BASE_IMAGE (in the environment or in ${settingsFile}).`,
  });
}

/** @param {string} wanted */
export function acceptableImages(wanted) {
  return wanted === defaultBaseImage || wanted === madeBaseImage ? [...new Set([wanted, madeBaseImage])] : [wanted];
}

/** @param {string} dockerHost @param {string} reference */
async function hasImage(dockerHost, reference) {
  const path = `/images/${encodeURIComponent(reference)}/json`;
  const reply = await callEngine(dockerHost, { method: 'GET', path, timeout_seconds: inspect_timeout_seconds });
  const text = await readText(reply);
  if (reply.statusCode === 200) return true;
  if (reply.statusCode === 404) return false;
  throw new Error(`the engine answered ${reply.statusCode} to ${path}: ${text}`);
}
