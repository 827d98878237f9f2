// Starts the service's program. Plain JavaScript, because the compile cache must be on before Node reads the first TypeScript file: without
// the cache Node loads the program that strips types, and keeps its 20 MB. The cache lies beside the packages, not in the machine's folder
// for temporary files: only people who may change the code may change the cache.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/gantry', import.meta.url)));
await import('./src/main.ts');
