// @ts-check
/**
 * `npm run base-image 3.13`: adds a Python for agents: the public image if it can be pulled, else one made from the release of
 * Debian that has this Python. It is recorded in BASE_IMAGES of the settings file, which the service reads at its next start. The
 * service obtains a Python by itself when a push needs it; this is for BUILD_PYTHONS=refuse, and for preparing a closed network.
 */
import { readConfig } from './config.js';
import { ensureEngine } from './engine/engine.js';
import { makeBaseImage } from './engine/make-base-image.js';
import { pullImage } from './engine/pull-image.js';
import { readSettings, writeSettings } from './settings/settings-file.js';
import { print, runScript, SetupProblem, step } from './step.js';

/** The Python of each release of Debian; the wrapper does not run on those of older releases. */
const releases = new Map([
  ['3.11', 'bookworm'],
  ['3.13', 'trixie'],
]);

await runScript(async () => {
  const python = process.argv[2] ?? '';
  await step('engine', ensureEngine);
  let reference = '';
  await step(`Python ${python}`, async (say) => (reference = await ensureImage(python, say)));
  record(python, reference);
  print('  The service reads it at its next start: svc server restart');
});

/** @param {string} python @param {(doing: string) => void} say */
async function ensureImage(python, say) {
  if (!/^3\.\d{1,2}$/.test(python))
    throw new SetupProblem({ cause: `"${python}" is not a version of Python`, fix: 'npm run base-image 3.13' });
  const { dockerHost } = readConfig();
  const published = `python:${python}-slim-bookworm`;
  const { reason } = await pullImage(dockerHost, published, say);
  if (reason === undefined) return published;
  const suite = releases.get(python);
  if (suite !== undefined) return await makeBaseImage(dockerHost, suite, say);
  throw new SetupProblem({
    cause: `${published} cannot be pulled (${reason}), and no release of Debian has Python ${python}`,
    fix: `Take one of ${[...releases.keys()].join(', ')}, or docker load an image with Python ${python} and pip, and run svc server set BASE_IMAGES+=${python}=<image>.`,
  });
}

/** @param {string} python @param {string} reference */
function record(python, reference) {
  const { settingsFile } = readConfig();
  const before = (readSettings(settingsFile).get('BASE_IMAGES') ?? '').split(',').map((entry) => entry.trim());
  const others = before.filter((entry) => entry !== '' && !entry.startsWith(`${python}=`));
  writeSettings(settingsFile, { BASE_IMAGES: [...others, `${python}=${reference}`].join(',') });
}
