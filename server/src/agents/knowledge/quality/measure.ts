// How well a snapshot answers the questions of its base: which share of the expected documents a search finds, and how early.
import type { SearchQuality } from '@gantry/contract/agents/knowledge.ts';
import type { KnowledgeBaseConfig } from '@gantry/project/asset-config/knowledge-base.ts';
import { globMatches } from '@gantry/project/model-globs.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import { ofNoRun } from '../chunks/embed-chunks.ts';
import { everything } from '../chunk-store.ts';
import type { SearchParts } from '../parts.ts';
import { rank } from '../search/rank.ts';
import { rankedChunks } from '../search/search.ts';
import type { Reranking, SearchedPart } from '../searched.ts';

interface Measured {
  /** The RAG index, or the base itself. */
  by: AssetRecord;
  part: SearchedPart;
  reranking: Reranking | undefined;
  k: number;
  questions: KnowledgeBaseConfig['questions'];
  signal: AbortSignal;
}

type Answered = SearchQuality['questions'][number];

/** As somebody who may read every document. Throws when a question could not be searched as its index says, by vectors and reranked. */
export async function measure(
  knowledge: SearchParts,
  { by, part, reranking, k, questions, signal }: Measured,
): Promise<Pick<SearchQuality, 'by' | 'k' | 'recall' | 'mrr' | 'questions'>> {
  const parts = [{ ...part, sight: everything }];
  const answered: Answered[] = [];
  for (const { question, expects } of questions) {
    signal.throwIfAborted();
    const asked = { asset: by, query: question, parts, reranking, run: ofNoRun(), signal };
    const { best, notices } = await rank(knowledge, asked);
    const [notice] = notices;
    if (notice !== undefined) throw new Error(`a question was not asked as its index would: ${notice}`);
    const chunks = await rankedChunks(knowledge.db, parts, best);
    const found = [...new Set(chunks.map(({ path }) => path))].slice(0, k);
    answered.push({ question, expects, found, ...scoreOf(expects, found) });
  }
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / (values.length || 1);
  return {
    by: by.ref,
    k,
    recall: mean(answered.map(({ recall }) => recall)),
    mrr: mean(answered.map(({ rank: at }) => (at === null ? 0 : 1 / at))),
    questions: answered,
  };
}

/** Each expected pattern counts once. `found`: paths, the best first. */
function scoreOf(expects: readonly string[], found: readonly string[]): Pick<Answered, 'recall' | 'rank'> {
  const met = expects.filter((pattern) => found.some((path) => globMatches(pattern, path)));
  const at = found.findIndex((path) => expects.some((pattern) => globMatches(pattern, path)));
  return { recall: met.length / expects.length, rank: at < 0 ? null : at + 1 };
}
