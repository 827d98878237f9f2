// `node e2e/console/open-stage.ts`: the stage of the console's tests, kept open for work on a page. Ctrl-C removes it.
import { openConsoleStage } from './stage.ts';

const { gantry, people, stop } = await openConsoleStage();
process.stdout.write(`${JSON.stringify({ url: gantry.url, directory: gantry.directory, people }, null, 2)}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stop().then(() => process.exit(0)));
await new Promise(() => setInterval(() => {}, 60_000));
