// @ts-check
/** `npm run parts`: installs the packages, the console, the engine and the base image, and starts nothing. An upgrade does it beside the running service. */
import { prepare } from './prepare.js';
import { runScript } from './step.js';

await runScript(async () => void (await prepare()));
