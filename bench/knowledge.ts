// Searches in 20,000 chunks with rights, beside the same search without them and beside a base that never had what is hidden; the ingestion of files, beside
// markitdown alone; and the memory of the service. Real weights make the vectors.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client } from '../contract/src/client/client.ts';
import { databaseOf } from '../e2e/database-of.ts';
import { sql } from '../server/src/ground/database/sql.ts';
import { refreshed } from '../server/src/testing/knowledge/knowledge-stage.ts';
import { embeddingConfig, realEmbeddings, type RealEmbeddings } from '../server/src/testing/models/real-embeddings.ts';
import { faqCorpus, type Corpus } from './knowledge/corpus.ts';
import { measureExact } from './knowledge/exact.ts';
import { measureIngestion } from './knowledge/ingestion.ts';
import { pssMegabytes } from './idle-memory.ts';
import { interleaved, repeat, timed } from './load/sampling.ts';
import type { Row } from './report/row.ts';
import { openMeasured, type Measured } from './service/service.ts';

interface Extent {
  documents: number;
  rounds: number;
  files_rounds: number;
}
const whole: Extent = { documents: 1000, rounds: 4, files_rounds: 1 };
const quickly: Extent = { documents: 100, rounds: 2, files_rounds: 1 };

const sections = 20;
const searches_a_round = 50;
/** `some`: half of it is hidden from bob. `open`: the same documents, for everybody. `shown`: only what bob finds. */
const bases = ['some', 'open', 'shown'] as const;
type Base = (typeof bases)[number];

export async function measure({ quick }: { quick: boolean }): Promise<Row[]> {
  const extent = quick ? quickly : whole;
  await using open = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'gantry-bench-'));
  open.defer(async () => await rm(directory, { recursive: true, force: true }));
  const model = await realEmbeddings();
  open.defer(async () => await model.stop());
  const measured = await openMeasured({ OUTBOUND_PRIVATE_HOSTS: model.host });
  open.defer(async () => await measured.close());
  const corpus = await faqCorpus();
  const memory = await memoryOf(measured);
  const idle = await memory.sample();

  const ingestion = await measureIngestion({
    client: measured.client,
    corpus,
    directory,
    rounds: extent.files_rounds,
    sample: async () => void (await memory.sample()),
  });
  const ingesting = memory.most();
  await fill(measured, { corpus, model, documents: extent.documents });
  const before = await memory.sample();
  const bob = await bobOf(measured);
  const taken = await searchAll(bob, { corpus, model, rounds: extent.rounds });
  memory.reset();
  const at_once = await searchAtOnce(bob, corpus);
  const at = await memory.sample();

  const db = await databaseOf(measured.installation);
  open.defer(async () => await db.close());
  const [index] = await db.all<{ id: string }>(sql`select id from asset where name = 'some-index'`);
  const questions = await repeat(
    corpus.questions.length,
    async (n) => await vectorOf(model, corpus.questions[n] ?? ''),
  );
  const exact = await measureExact({ db, index_id: index?.id ?? '', hidden: 'hidden/%', questions, directory });
  const chunks = extent.documents * sections;
  return [
    ...searchRows(taken, { chunks, rounds: extent.rounds }),
    { measure: '… joined, 8 at once', unit: 'ms', samples: at_once, how: 'half hidden; the time of each search' },
    ...exact,
    ...ingestion,
    {
      measure: 'memory of the service, idle',
      unit: 'MB',
      samples: [idle],
      how: 'proportional set size, without PostgreSQL',
    },
    {
      measure: '… while it ingests',
      unit: 'MB',
      samples: [ingesting],
      how: 'the most of a look each 200 ms; the reader is in its container',
    },
    {
      measure: '… before the first search',
      unit: 'MB',
      samples: [before],
      how: `after refreshes with ${chunks} vectors`,
    },
    {
      measure: '… with the vectors of three indexes',
      unit: 'MB',
      samples: [at],
      how: `with the thread that compares: ${Math.round((2.5 * chunks * 256 * 4) / 1024 ** 2)} MB of vectors`,
    },
  ];
}

type Way = 'joined' | 'words';
type Taken = Record<`${Way} ${Base}` | 'vector', number[]>;

async function searchAll(
  bob: Client,
  { corpus, model, rounds }: { corpus: Corpus; model: RealEmbeddings; rounds: number },
): Promise<Taken> {
  let asked = 0;
  const next = () => corpus.questions[asked++ % corpus.questions.length] ?? '';
  const work = (one: (query: string) => Promise<unknown>) => async () => {
    const times: number[] = [];
    for (let n = 0; n < searches_a_round; n++) {
      const query = next();
      times.push(await timed(async () => await one(query)));
    }
    return times;
  };
  const works = Object.fromEntries(
    bases.flatMap((base) => [
      [`joined ${base}`, work(async (query) => await joined(bob, base, query))],
      [
        `words ${base}`,
        work(async (query) => await bob.call('knowledge.search', { params: { name: base }, body: { query } })),
      ],
    ]),
  );
  const all = { ...works, vector: work(async (query) => await vectorOf(model, query)) };
  return (await interleaved<string>(rounds, all)) as Taken; // those works
}

async function joined(bob: Client, base: Base, query: string): Promise<void> {
  const { notices } = await bob.call('knowledge.search_index', { params: { name: `${base}-index` }, body: { query } });
  if (notices.length > 0) throw new Error(notices.join());
}

async function searchAtOnce(bob: Client, corpus: Corpus): Promise<number[]> {
  const times: number[] = [];
  const left = corpus.questions.concat(corpus.questions);
  const loop = async () => {
    for (let query = left.pop(); query !== undefined; query = left.pop()) {
      const one = query;
      times.push(await timed(async () => await joined(bob, 'some', one)));
    }
  };
  await Promise.all(Array.from({ length: 8 }, loop));
  return times;
}

function searchRows(taken: Taken, { chunks, rounds }: { chunks: number; rounds: number }): Row[] {
  const how = `${chunks} chunks, over HTTP, half of the documents hidden; ${rounds} rounds of ${searches_a_round} in turns`;
  const beside = 'bare: the same documents without readers';
  const never = `bare: a base in which the hidden documents do not exist, ${chunks / 2} chunks`;
  return [
    {
      measure: 'search by words and meaning with rights',
      unit: 'ms',
      samples: taken['joined some'],
      p99_at_most: 20,
      how,
    },
    {
      measure: '… beside no rights',
      unit: 'ms',
      samples: taken['joined some'],
      bare: taken['joined open'],
      how: beside,
    },
    {
      measure: '… beside nothing hidden',
      unit: 'ms',
      samples: taken['joined some'],
      bare: taken['joined shown'],
      how: never,
    },
    { measure: 'search by words with rights', unit: 'ms', samples: taken['words some'], p99_at_most: 20, how },
    { measure: '… beside no rights', unit: 'ms', samples: taken['words some'], bare: taken['words open'], how: beside },
    {
      measure: '… beside nothing hidden',
      unit: 'ms',
      samples: taken['words some'],
      bare: taken['words shown'],
      how: never,
    },
    {
      measure: 'the vector of a question by the model itself',
      unit: 'ms',
      samples: taken.vector,
      how: 'a part of each search by meaning',
    },
  ];
}

async function fill(
  { client, installation }: Measured,
  { corpus, model, documents }: { corpus: Corpus; model: RealEmbeddings; documents: number },
): Promise<void> {
  await installation.person('bob');
  await installation.must('svc team add default user:bob@example.com --role viewer');
  const create = async (kind: 'model' | 'knowledge-base' | 'rag-index', name: string, config: object) =>
    await client.call('registry.create', {
      params: { kind },
      body: { name, team: 'default', config: config as Record<string, string> },
    });
  await create('model', 'embed', embeddingConfig(model.base_url));
  const texts = Array.from({ length: documents }, () =>
    Array.from({ length: sections }, (_, n) => corpus.section(n)).join('\n'),
  );
  for (const base of bases) {
    const rights = base === 'some' ? [{ documents: 'hidden/*', readers: ['user:admin@gantry.local'] }] : [];
    await create('knowledge-base', base, { uploads: true, language: 'en', rights });
    for (const [n, text] of texts.entries()) {
      const path = `${n % 2 === 0 ? 'hidden' : 'shown'}/${n}.md`;
      if (base === 'shown' && n % 2 === 0) continue;
      await client.call('knowledge.upload', { params: { name: base }, query: { path }, body: Buffer.from(text) });
    }
    await create('rag-index', `${base}-index`, { embedding_model: 'models/embed', knowledge_bases: [`kb/${base}`] });
    for (const [endpoint, name] of [
      ['knowledge.refresh', base],
      ['knowledge.refresh_index', `${base}-index`],
    ] as const) {
      const { state, problem } = await refreshed(client, endpoint, name);
      if (state !== 'done') throw new Error(`the refresh of ${name} ended ${state}: ${JSON.stringify(problem)}`);
    }
  }
}

async function bobOf({ installation }: Measured): Promise<Client> {
  const token = await installation.token('bob');
  return createClient({ base_url: installation.url, token: () => token });
}

async function vectorOf(model: RealEmbeddings, input: string): Promise<number[]> {
  const answer = await fetch(`${model.base_url}/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'embed', input: [input] }),
  });
  const { data } = (await answer.json()) as { data: { embedding: number[] }[] };
  return data[0]?.embedding ?? [];
}

async function memoryOf({ installation }: Measured) {
  const pid = await installation.pid();
  let most = 0;
  return {
    sample: async () => {
      const now = await pssMegabytes(pid);
      most = Math.max(most, now);
      return now;
    },
    most: () => most,
    reset: () => (most = 0),
  };
}
