// Verifies an export beside the page. The first import gives `Buffer` to the second.
import { createPublicKey } from './verifier-platform.ts';
import { checkLog, verdictOf, type CheckedChain } from 'virtual:verifier';

export interface Given {
  log: Blob;
  public_key: string;
  anchor: File | undefined;
}

export type Told =
  | { kind: 'checked'; entries: number }
  | { kind: 'done'; verdict: ReturnType<typeof verdictOf>; chains: CheckedChain[] }
  | { kind: 'failed'; reason: string };

const tell = (told: Told): void => self.postMessage(told);

self.addEventListener('message', ({ data }: MessageEvent<Given>) => {
  verify(data).then(tell, (error: unknown) => tell({ kind: 'failed', reason: String(error) }));
});

async function verify({ log, public_key, anchor }: Given): Promise<Told> {
  const chains = await checkLog({
    lines: () => linesOf(log),
    key: createPublicKey(public_key),
    anchor: anchor && { name: anchor.name, lines: () => linesOf(anchor) },
    told: (entries) => tell({ kind: 'checked', entries }),
  });
  return { kind: 'done', verdict: verdictOf(chains), chains };
}

async function* linesOf(file: Blob): AsyncGenerator<string[]> {
  let rest = '';
  for await (const chunk of file.stream().pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield lines;
  }
  if (rest !== '') yield [rest];
}
