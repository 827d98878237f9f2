// verifier/verify.mjs itself runs in the browser. Only the parts of Node.js that it imports are replaced.
import { join } from 'node:path';
import type { Plugin } from 'vite';

const program = join(import.meta.dirname, '../verifier/verify.mjs');
const platform = join(import.meta.dirname, 'src/pages/audit/verifier-platform.ts');

export function verifier(): Plugin {
  return {
    name: 'verifier',
    enforce: 'pre',
    resolveId(source, importer) {
      if (source === 'virtual:verifier') return program;
      return importer === program && source.startsWith('node:') ? platform : null;
    },
  };
}
