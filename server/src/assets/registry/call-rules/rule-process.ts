// The process of rule-thread.ts. It holds the thread that decides, and ends with the service, also while a rule goes on for ever: the thread can be stuck, and
// this part is not.
import { Worker } from 'node:worker_threads';
import { places } from '../../../ground/places-of-files.ts';

const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

const thread = new Worker(places.rule_worker, { env: {}, resourceLimits });
thread.on('message', (said: object) => process.send?.(said));
thread.on('error', () => process.exit(1));
thread.on('exit', () => process.exit(1));
process.on('message', (asked) => thread.postMessage(asked));
process.on('disconnect', () => process.exit(0));
