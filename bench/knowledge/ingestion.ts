// Pages in a second: a refresh of uploaded files, from its start to the snapshot that serves, beside markitdown alone on the same files.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Client } from '../../contract/src/client/client.ts';
import { docx } from '../../server/src/testing/knowledge/office-files.ts';
import { refreshed } from '../../server/src/testing/knowledge/knowledge-stage.ts';
import { install_seconds, installPython, versionOf } from '../load/python-peer.ts';
import { environment } from '../../e2e/config.ts';
import { runCommand, tail } from '../../setup/command.js';
import { timed } from '../load/sampling.ts';
import type { Row } from '../report/row.ts';
import type { Corpus } from './corpus.ts';

interface Ingestion {
  client: Client;
  corpus: Corpus;
  directory: string;
  rounds: number;
  /** Resident megabytes of the service, which are kept as their maximum. */
  sample: () => Promise<void>;
}

/** A page of text without pages. */
const characters_of_page = 3000;
const files_of_kind = 5;
const pages_of_file = 50;
const kinds = ['pdf', 'docx', 'html'] as const;
type Kind = (typeof kinds)[number];

export async function measureIngestion({ client, corpus, directory, rounds, sample }: Ingestion): Promise<Row[]> {
  const folder = join(directory, 'files');
  const pages = {} as Record<Kind, number>; // filled below
  for (const kind of kinds) {
    await mkdir(join(folder, kind), { recursive: true });
    for (let n = 0; n < files_of_kind; n++)
      await writeFile(join(folder, kind, `${n}.${kind}`), await fileOf(kind, corpus));
  }
  const bin = await installPython('markitdown', ['markitdown[pdf,docx]']);
  const convert = async () => {
    const argv = [join(bin, 'python'), join(import.meta.dirname, 'convert.py'), folder];
    const ran = await runCommand(argv, { env: environment(), timeout_seconds: install_seconds });
    if (ran.exit_code !== 0) throw new Error(`markitdown: ${tail(ran.output, 3)}`);
    return JSON.parse(ran.output.trim().split('\n').at(-1) ?? '') as Record<Kind, number>;
  };
  const ours: Record<Kind, number[]> = { pdf: [], docx: [], html: [] };
  const theirs: Record<Kind, number[]> = { pdf: [], docx: [], html: [] };
  for (let round = 0; round < rounds; round++) {
    for (const kind of kinds) {
      const name = `ingested-${kind}-${round}`;
      await client.call('registry.create', {
        params: { kind: 'knowledge-base' },
        body: { name, team: 'default', config: { uploads: true } },
      });
      for (let n = 0; n < files_of_kind; n++) {
        const body = await readFile(join(folder, kind, `${n}.${kind}`));
        await client.call('knowledge.upload', { params: { name }, query: { path: `${n}.${kind}` }, body });
      }
      const sampling = setInterval(() => void sample(), 200);
      const took = await timed(async () => {
        const { state, problem } = await refreshed(client, 'knowledge.refresh', name);
        if (state !== 'done') throw new Error(`the refresh ended ${state}: ${JSON.stringify(problem)}`);
      });
      clearInterval(sampling);
      const { listed, unreadable } = await client.call('knowledge.snapshot', { params: { name, number: 1 } });
      if (unreadable.length > 0) throw new Error(`not read: ${JSON.stringify(unreadable)}`);
      pages[kind] =
        kind === 'pdf' ? listed.reduce((sum, one) => sum + (one.pages ?? 0), 0) : files_of_kind * pages_of_file;
      ours[kind].push(pages[kind] / (took / 1000));
    }
    const seconds = await convert();
    for (const kind of kinds) theirs[kind].push(pages[kind] / seconds[kind]);
  }
  const version = await versionOf(bin, 'markitdown');
  return kinds.map((kind): Row => ({
    measure: `ingestion of ${kind}`,
    unit: 'pages/s',
    samples: ours[kind],
    bare: theirs[kind],
    how: `${files_of_kind} files, ${pages[kind]} pages${kind === 'pdf' ? '' : ` of ${characters_of_page} characters`}; with the start of the container, the chunks and the switch; bare: markitdown ${version} alone, in one process that has begun; ${rounds} rounds in turns`,
  }));
}

async function fileOf(kind: Kind, corpus: Corpus): Promise<string | Buffer> {
  // The one real PDF that a package of the tests has.
  if (kind === 'pdf') return gunzipSync(await readFile('/usr/share/doc/debian/FAQ/debian-faq.en.pdf.gz'));
  const paragraphs: string[] = [];
  for (let length = 0; length < pages_of_file * characters_of_page; length += paragraphs.at(-1)?.length ?? 0)
    paragraphs.push(
      corpus
        .section(paragraphs.length)
        .replace(/^# .*\n\n/, '')
        .replaceAll(/[<>&]/g, ' ')
        .trim(),
    );
  if (kind === 'docx')
    return docx(
      paragraphs.map((text) => ['', text]),
      { compress: true },
    );
  return `<!doctype html><html><head><title>A page</title></head><body>${paragraphs.map((text) => `<p>${text}</p>`).join('\n')}</body></html>`;
}
