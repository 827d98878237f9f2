// `npm run stage -- stage.json`: the stage of the console's tests, kept open for work on a page. Ctrl-C removes it. Its address and its people
// go to the file.
import { writeFile } from 'node:fs/promises';
import { openConsoleStage } from './stage.ts';

const { gantry, people, stop } = await openConsoleStage();
await writeFile(
  process.argv[2] ?? 'stage.json',
  JSON.stringify({ url: gantry.url, directory: gantry.directory, people }, null, 2),
);
process.stdout.write(`the stage is open at ${gantry.url}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stop().then(() => process.exit(0)));
await new Promise(() => setInterval(() => {}, 60_000));
