// @ts-check
/** `npm run check`: the static checks, in seconds. */
import { ensurePackages } from './packages/packages.js';
import { ensureUv } from './packages/python.js';
import { runStaticChecks } from './static-checks.js';
import { runScript, step } from './step.js';

await runScript(async () => {
  let uv = '';
  await step('packages', ensurePackages);
  await step('uv', async (say) => (uv = await ensureUv(say)));
  await runStaticChecks(uv);
});
