// Two pages: the console, and the sign-in pages, which have neither router nor client. The service serves the result itself, so the
// content security policy in development is the one of production: `npm run dev -w console` builds on each change.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { endpointTable } from './endpoint-table.ts';
import { verifier } from './verifier.ts';

const folder = import.meta.dirname;

/** The service sends these files as they are, so it never compresses one during a request. The last file says that the build is whole. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle).filter((name) => /\.(js|css|svg)$/.test(name))) {
        const bytes = readFileSync(join(dir, name));
        writeFileSync(join(dir, `${name}.br`), brotliCompressSync(bytes));
        writeFileSync(join(dir, `${name}.gz`), gzipSync(bytes, { level: 9 }));
      }
      writeFileSync(join(dir, 'built'), '');
    },
  };
}

export default defineConfig({
  root: folder,
  plugins: [react(), tailwind(), endpointTable(), compressed()],
  worker: { format: 'es', plugins: () => [verifier()] },
  // The service replaces it in each response.
  html: { cspNonce: '__NONCE__' },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: [join(folder, 'index.html'), join(folder, 'sign-in.html')] },
  },
});
