// @ts-check
/**
 * `npm run wrapper-lock` and `npm run reader-lock`: locks the requirements.in of a folder with hashes, for every Python and machine on
 * which agents and readers run.
 */
import { join } from 'node:path';
import { runCommand, tail } from './command.js';
import { cloneFolder, outsideEnvironment } from './config.js';
import { ensureUv, uvEnvironment } from './packages/python.js';
import { runScript, SetupProblem, step } from './step.js';

/** uv's options that make one lock for all. The service installs it without a resolver. */
const options = [
  '--universal',
  '--fork-strategy',
  'fewest',
  '--python-version',
  '3.10',
  '--generate-hashes',
  '--upgrade',
];
/** The file names neither the index nor the machine. */
const plain = ['--no-header', '--no-annotate', '--no-config', '--quiet'];

const folder = process.argv[2] ?? '';

await runScript(async () => {
  await step(`${folder}/requirements.lock`, async (say) => {
    const uv = await ensureUv(say);
    say('uv pip compile');
    const command = [
      uv,
      'pip',
      'compile',
      'requirements.in',
      ...options,
      ...plain,
      '--output-file',
      'requirements.lock',
    ];
    const { exit_code, output } = await runCommand(command, {
      cwd: join(cloneFolder, folder),
      env: outsideEnvironment(await uvEnvironment()),
      timeout_seconds: 300,
    });
    if (exit_code !== 0) throw new SetupProblem({ cause: tail(output), fix: 'Look at the lines above.' });
    return 'locked';
  });
});
