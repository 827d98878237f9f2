#!/usr/bin/env node
// Starts svc. Plain JavaScript for two reasons: a Node that is too old for TypeScript can still hand over to the
// one that came with the packages, and the compile cache must be on before the first TypeScript file is read
// (reading one without it costs 50 ms). The cache lies beside the packages, not in the machine's folder for temporary
// files: only people who may change the code may change the cache.
import { spawnSync } from 'node:child_process';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

const major = Number(process.versions.node.split('.')[0]);
if (major >= 24) {
  nodeModule.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/gantry', import.meta.url)));
  // zod brings its messages in 60 languages, a quarter of the modules of a command. A command needs the English ones.
  nodeModule.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier === '../locales/index.js' && isOfZod(context) ? '../locales/en.js' : specifier, context),
  });
  const { main } = await import('./src/main.ts');
  await main(process.argv.slice(2));
} else {
  const node = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));
  const { status, signal } = spawnSync(node, process.argv.slice(1), { stdio: 'inherit' });
  if (signal !== null) process.kill(process.pid, signal);
  process.exitCode = status ?? 1;
}

function isOfZod({ parentURL = '' }) {
  return parentURL.includes('/node_modules/zod/');
}
