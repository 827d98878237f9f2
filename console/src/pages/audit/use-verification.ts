import { useEffect, useState } from 'react';
import { openWorker } from '../../parts/browser/worker.ts';
import { exportLog } from './export-log.ts';
import type { Given, Told } from './verify.worker.ts';
// oxlint-disable-next-line import/default -- Vite makes the address the default export
import workerUrl from './verify.worker.ts?worker&url';

export type Progress =
  | { kind: 'reading'; entries: number }
  | { kind: 'checked'; entries: number }
  | (Extract<Told, { kind: 'done' }> & { entries: number; log: Blob })
  | { kind: 'failed'; error: unknown };

/** Without a log, the whole present one is exported first. */
export type Wish = Omit<Given, 'log'> & { log: Blob | undefined };

/** Verifies a log in this browser. Leaving the page ends it. */
export function useVerification(): { progress: Progress | undefined; verify: (wish: Wish) => void } {
  const [wish, verify] = useState<Wish>();
  const [progress, setProgress] = useState<Progress>();
  useEffect(() => {
    if (wish === undefined) return undefined;
    const left = new AbortController();
    const tell = (next: Progress) => left.signal.aborted || setProgress(next);
    run(wish, tell, left.signal).catch((error: unknown) => tell({ kind: 'failed', error }));
    return () => left.abort();
  }, [wish]);
  return { progress, verify };
}

async function run({ log: given, ...wish }: Wish, tell: (progress: Progress) => void, signal: AbortSignal) {
  const log = given ?? (await exportLog((entries) => tell({ kind: 'reading', entries }), signal));
  let entries = 0;
  tell({ kind: 'checked', entries });
  const worker = openWorker(workerUrl);
  signal.addEventListener('abort', () => worker.terminate());
  await new Promise<void>((resolve, reject) => {
    worker.addEventListener('error', ({ message }) => reject(new Error(message || 'The verifier did not start.')));
    worker.addEventListener('message', ({ data }: MessageEvent<Told>) => {
      if (data.kind === 'failed') return reject(new Error(data.reason));
      if (data.kind === 'checked') return tell({ kind: 'checked', entries: (entries = data.entries) });
      tell({ ...data, entries, log });
      resolve();
    });
    worker.postMessage({ ...wish, log } satisfies Given);
  }).finally(() => worker.terminate());
}
