// `svc kb test`: the questions of the newest config, asked in one snapshot and in the one that serves.
import type { QualityCompared, SearchQuality } from '@gantry/contract/agents/knowledge.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import { findVersion, type AssetRecord } from '../../../assets/registry/find.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import * as indexes from '../index-store.ts';
import type { SearchParts } from '../parts.ts';
import {
  baseConfig,
  indexContent,
  of_base,
  partOf,
  rerankingOf,
  type Reranking,
  type SearchedPart,
} from '../searched.ts';
import { loadSnapshot } from '../snapshots/list-snapshots.ts';
import { requireChunked } from '../snapshots/require-chunked.ts';
import * as snapshots from '../snapshot-store.ts';
import { measure } from './measure.ts';

interface AskedTest {
  name: string;
  snapshot?: number | undefined;
  index?: string | undefined;
  signal: AbortSignal;
}

/** Throws the refusal, `nothing_serves`, `no_questions` and `index_behind`. */
export async function testQuality(
  knowledge: SearchParts,
  caller: SignedInCaller,
  { name, snapshot: number, index: of_index, signal }: AskedTest,
): Promise<QualityCompared> {
  const { db } = knowledge;
  const base = await loadAsset(db, { kind: 'knowledge-base', name }, caller);
  authorize(caller, 'asset.write', base);
  const [newest] = await snapshots.listed(db, base.id, { limit: 1 });
  const asked = number === undefined ? newest : await loadSnapshot(db, base, number);
  if (asked === undefined)
    throw new Problem('nothing_serves', { detail: `${base.ref} has no snapshot.`, hint: `svc kb refresh ${name}` });
  const version = await findVersion(db, base.id, 'latest');
  const { questions, min_recall } = await baseConfig(db, base, version?.digest ?? asked.config);
  if (questions.length === 0) throw new Problem('no_questions', { detail: `${base.ref} has no questions.` });
  const by = of_index === undefined ? base : await loadAsset(db, { kind: 'rag-index', name: of_index }, caller);
  if (by !== base) authorize(caller, 'asset.write', by);
  const quality = async (snapshot: SearchedPart['snapshot'], serves: boolean): Promise<SearchQuality> => {
    const way = await searchedBy(knowledge, { base, by, snapshot });
    const measured = await measure(knowledge, { by, ...way, questions, signal });
    return { snapshot: snapshot.number, serves, ...measured };
  };
  const [serving] = await snapshots.servingOf(db, [base.id]);
  return {
    tested: await quality(asked, asked.serves),
    serving: serving === undefined || serving.id === asked.id ? null : await quality(serving, true),
    min_recall: min_recall ?? null,
  };
}

/** Throws `index_behind` when the index has no chunks of a document of the snapshot. */
async function searchedBy(
  { db }: SearchParts,
  { base, by, snapshot }: { base: AssetRecord; by: AssetRecord; snapshot: SearchedPart['snapshot'] },
): Promise<{ part: SearchedPart; k: number; reranking: Reranking | undefined }> {
  const built = by === base ? undefined : await indexes.find(db, by.id);
  const config = built?.config ? (await indexContent(db, by, built.config)).config : undefined;
  if (by !== base && config === undefined)
    throw new Problem('nothing_serves', { detail: `${by.ref} was not built.`, hint: `svc kb refresh ${by.ref}` });
  const part = await partOf(db, { index: by, base, snapshot, config });
  await requireChunked(db, { part, by, to: 'test' });
  return { part, k: config?.top_k ?? of_base.top_k, reranking: rerankingOf(config) };
}
