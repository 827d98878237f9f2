import { expect, test } from 'vitest';
import { freshHome, runSvc } from './testing/run-svc.ts';

const names_languages = `import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    if (url.includes('/zod/v4/locales/')) process.stderr.write('language: ' + url + '\\n');
    return next(url, context);
  },
});`;

test('a command loads the messages of zod in English only', async () => {
  const { stderr } = await runSvc(['validate', 'nothing'], {
    home: freshHome(),
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(names_languages)}` },
  });
  const languages = [...stderr.matchAll(/^language: .*\/(.*)$/gm)].map(([, file]) => file);
  expect(languages).toEqual(['en.js']);
});
