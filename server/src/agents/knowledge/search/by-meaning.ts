// The search by meaning is exact in both ways: pgvector compares in the database, where it has that; else a thread of the service does, up to 20,000 chunks a
// base. Both compare the question with each vector that the caller may find, and give the same chunks and scores.
import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { hasPgvector } from '../../../ground/database/pgvector.ts';
import { yieldTurn } from '../../../ground/yield-turn.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import { embedFor } from '../chunks/embed-chunks.ts';
import * as store from '../chunk-store.ts';
import type { KnowledgeParts, SearchParts } from '../parts.ts';
import type { SearchedPart } from '../searched.ts';
import { QueueFull } from './fair-queue.ts';
import { bestOf } from './fuse-ranks.ts';
import { most_compared } from './most-compared.ts';
import type { AskedRanks, Ranks, Sighted } from './rank.ts';
import type { StoredVectors } from './vector-index.ts';

/** A query as a vector; or why words alone are searched; undefined where no part has vectors. */
export type Question = { vector: Float32Array; made_by: string } | { notice: string } | undefined;

/** The nearest chunks first. A model that is away stops no search: a notice says that words alone were searched. Throws `too_many_requests`. */
export async function byMeaning(
  knowledge: SearchParts,
  { limit, ...asked }: AskedRanks & { limit: number },
): Promise<{ found: Ranks['meaning']; notices: string[] }> {
  const { signal, parts, question = await questionOf(knowledge, asked) } = asked;
  if (question === undefined) return { found: [], notices: [] };
  if ('notice' in question) return { found: [], notices: [question.notice] };
  const compare = (await hasPgvector(knowledge.db)) ? inDatabase : inThread;
  const all = await Promise.all(
    parts.map(async (part) => {
      signal.throwIfAborted();
      try {
        return { found: await compare(knowledge, part, { ...question, limit }), notices: [] };
      } catch (error) {
        if (error instanceof QueueFull) throw tooManyWait(asked.asset);
        if (!(error instanceof TooManyVectors)) throw error;
        const why = `it has more than ${most_compared} chunks, and the database has no pgvector`;
        return { found: [], notices: [`searched ${part.base.ref} by words only: ${why}`] };
      }
    }),
  );
  const found = all.map((one) => one.found);
  return { found: bestOf(found, limit), notices: all.flatMap(({ notices }) => notices) };
}

interface Compared {
  vector: Float32Array;
  made_by: string;
  limit: number;
}

/** Rights and vectors in one query. */
async function inDatabase(
  { db, vectors }: SearchParts,
  { sight, ...part }: Sighted,
  asked: Compared,
): Promise<Ranks['meaning']> {
  return await vectors.inTurn(part.index_id, async () => await store.byVector(db, part, sight, asked));
}

async function inThread(
  { db, vectors }: SearchParts,
  { sight, ...part }: Sighted,
  { vector, made_by, limit }: Compared,
): Promise<Ranks['meaning']> {
  const hidden = await store.hiddenDocuments(db, part.snapshot_id, sight);
  // Neither chunks nor their vectors change while a snapshot has them; an erasure takes some away.
  const id = [part.index_id, part.settings, part.snapshot_id, part.snapshot.erasures, made_by].join(' ');
  const load = async () => await loadVectors(db, part, { made_by, dimensions: vector.length });
  return await vectors.nearest({ id, load }, vector, { hidden, limit });
}

function tooManyWait({ ref }: AssetRecord): Problem {
  return new Problem('too_many_requests', {
    detail: `Too many searches in ${ref} wait for their turn.`,
    hint: 'Search again after the time in Retry-After.',
    retry_after_seconds: 1,
  });
}

class TooManyVectors extends Error {}

const page = 1000;
/** Other requests are served between them. */
const rows_of_turn = 256;

/** Throws TooManyVectors. */
async function loadVectors(
  db: Reader,
  part: store.Part,
  { made_by, dimensions }: { made_by: string; dimensions: number },
): Promise<StoredVectors> {
  if ((await store.countChunks(db, part)) > most_compared) throw new TooManyVectors();
  const ids: string[] = [];
  const groups: string[] = [];
  const all: Float32Array[] = [];
  for (let rows; rows === undefined || rows.length === page;) {
    rows = await store.vectorsOf(db, part, { made_by, after: ids.at(-1) ?? '0', limit: page });
    for (const { id, document_id, vector } of rows) {
      if (ids.length % rows_of_turn === 0) await yieldTurn();
      ids.push(id);
      groups.push(document_id);
      all.push(numbersIn(vector, dimensions));
    }
  }
  const vectors = new Float32Array(ids.length * dimensions);
  for (const [row, numbers] of all.entries()) vectors.set(numbers, row * dimensions);
  return { ids, groups, vectors, dimensions };
}

/** Of `array_send`: a header of 20 bytes, then the length and the value of each number, the highest byte first. */
function numbersIn(sent: Buffer, dimensions: number): Float32Array {
  if (sent.length !== 20 + 8 * dimensions)
    throw new RangeError(`${sent.length} bytes are no array of ${dimensions} numbers`);
  const numbers = new Float32Array(dimensions);
  for (let n = 0; n < dimensions; n++) numbers[n] = sent.readFloatBE(24 + 8 * n);
  return numbers;
}

/** The index pays for it. */
export async function questionOf(
  knowledge: KnowledgeParts,
  {
    asset,
    query,
    parts,
    run,
    signal,
  }: Pick<AskedRanks, 'asset' | 'query' | 'run' | 'signal'> & { parts: readonly SearchedPart[] },
): Promise<Question> {
  const model = parts.find(({ making }) => making.embedding !== undefined)?.making.embedding;
  if (model === undefined) return undefined;
  try {
    const { made_by, vectors } = await embedFor(knowledge, asset, [query], { model, signal, run });
    const [vector] = vectors;
    if (vector === undefined || made_by === undefined)
      return { notice: 'searched words only: a guardrail has blocked the query' };
    return { vector, made_by };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { notice: `searched words only: ${error.detail}` };
  }
}
