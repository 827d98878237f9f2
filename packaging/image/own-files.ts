// The service itself: the files that Git knows, without tests, and the build of the console.
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from './run.ts';

const kept = [
  'server/package.json',
  'server/start.js',
  'server/src',
  'server/migrations',
  'contract',
  'project',
  'wrapper',
  'reader',
  'verifier',
];
const left_out = /(^|\/)(tests?|testing)\/|\.test\.ts$|(^|\/)test_[^/]*\.py$/;

export async function addOwnFiles(home: string, clone: string): Promise<void> {
  const listed = (await run('git', ['ls-files', '-z', ...kept], clone)).split('\0');
  for (const file of listed.filter((name) => name !== '' && !left_out.test(name))) {
    await mkdir(dirname(join(home, file)), { recursive: true });
    await cp(join(clone, file), join(home, file));
  }
  await cp(join(clone, 'console/dist'), join(home, 'console/dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.built-from'),
  });
}
