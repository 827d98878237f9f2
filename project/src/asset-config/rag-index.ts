import { z } from 'zod';
import { listOf } from '@gantry/contract/formats/list-of.ts';
import { usd } from '@gantry/contract/wire.ts';
import { refreshHours } from './refresh-hours.ts';
import { refTo } from '@gantry/contract/assets/ref-to.ts';

const modelRef = refTo('model', 'models');
const knowledgeBaseRef = refTo('knowledge-base', 'kb');

/** Chunks and embeddings of knowledge bases, so that an agent can search them by meaning. */
export const ragIndex = z
  .strictObject({
    embedding_model: z.union([modelRef.text, modelRef.map]).describe('The model of the registry: models/<name>'),
    knowledge_bases: listOf(z.union([knowledgeBaseRef.text, knowledgeBaseRef.map]), 100)
      .min(1)
      .describe('The indexed knowledge bases: kb/<name>'),
    chunk_size: z.int().min(50).max(100_000).default(1000).describe('Characters per chunk'),
    chunk_overlap: z
      .int()
      .min(0)
      .max(50_000)
      .default(100)
      .describe('Characters that a chunk shares with the previous one; at most half of `chunk_size`'),
    top_k: z.int().min(1).max(200).default(5).describe('How many chunks a search returns'),
    refresh_hours: refreshHours.optional(),
    rerank_model: z
      .union([modelRef.text, modelRef.map])
      .optional()
      .describe('A model with `type: rerank` that puts what was found in its order: models/<name>'),
    rerank_top: z
      .int()
      .min(2)
      .max(100)
      .default(50)
      .describe('How many of the best it reads; the others stay behind them'),
    budget_usd: usd.optional().describe('What vectors and reranking may cost in a month'),
  })
  .refine(({ chunk_size, chunk_overlap }) => chunk_overlap < chunk_size, {
    error: 'is not less than `chunk_size`',
    path: ['chunk_overlap'],
  });

export type RagIndexConfig = z.output<typeof ragIndex>;
