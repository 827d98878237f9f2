// `min_recall`: a snapshot that answers too few of the questions does not serve. Each RAG index over the base counts; a base without one counts by its words.
import type { KnowledgeBaseConfig } from '@gantry/project/asset-config/knowledge-base.ts';
import type { RagIndexConfig } from '@gantry/project/asset-config/rag-index.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import type { SearchParts } from '../parts.ts';
import { of_base, partOf, rerankingOf, type SearchedPart } from '../searched.ts';
import { measure } from './measure.ts';

interface Required {
  base: AssetRecord;
  snapshot: SearchedPart['snapshot'];
  config: Pick<KnowledgeBaseConfig, 'questions' | 'min_recall'>;
  indexes: readonly { index: AssetRecord; config: RagIndexConfig }[];
  signal: AbortSignal;
  log: (line: string) => void;
}

/** Throws `recall_too_low`. */
export async function requireRecall(
  knowledge: SearchParts,
  { base, snapshot, config: { questions, min_recall = 0 }, indexes, signal, log }: Required,
): Promise<void> {
  const ways = indexes.length > 0 ? indexes : [{ index: base, config: undefined }];
  for (const { index, config } of ways) {
    const part = await partOf(knowledge.db, { index, base, snapshot, config });
    const k = config?.top_k ?? of_base.top_k;
    const asked = { by: index, part, reranking: rerankingOf(config), k, questions, signal };
    const { recall, mrr, questions: answered } = await measure(knowledge, asked);
    log(`${index.ref}: recall@${k} ${recall.toFixed(3)}, MRR ${mrr.toFixed(3)}`);
    if (recall >= min_recall) continue;
    const missed = answered.filter((one) => one.recall < 1).map(({ question }) => `"${question.slice(0, 100)}"`);
    throw new Problem('recall_too_low', {
      detail: `${index.ref} finds ${recall.toFixed(3)} of what the questions of ${base.ref} expect, and \`min_recall\` is ${min_recall}. Missed: ${missed.slice(0, 5).join(', ')}. What served before still serves.`,
      hint: `Mend the documents or the questions, then: svc kb refresh ${base.name}`,
    });
  }
}
