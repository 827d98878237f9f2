// @ts-check
/** The package of npm: what a clone has without its tests, and the console as it was built. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cloneFolder } from '../config.js';

/** npm leaves `package-lock.json` out of every package. */
export const packed_lock = 'release-lock.json';

/** True in a folder that came as a package of npm. */
export const isRelease = existsSync(join(cloneFolder, packed_lock));
