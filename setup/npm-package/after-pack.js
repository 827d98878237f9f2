// @ts-check
/** `npm pack` runs it last. With the file, the clone would count as a package. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { cloneFolder } from '../config.js';
import { packed_lock } from './release.js';

rmSync(join(cloneFolder, packed_lock));
