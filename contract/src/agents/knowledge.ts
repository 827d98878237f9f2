// Knowledge bases and RAG indexes: a refresh reads the documents of a base and makes a snapshot, one snapshot serves, and a search finds passages in it.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { byId, byName, id, name, paging, text, time } from '../wire.ts';
import { runEvent } from './runs.ts';

export const knowledgeRefresh = z.object({
  id,
  ref: z.string().describe('knowledge-bases/<name> or rag-indexes/<name>'),
  state: z.enum(['queued', 'running', 'done', 'failed', 'cancelled']),
  snapshot: z.int().nullable().describe('the number of the snapshot that it made'),
  serves: z.boolean().describe('false: the snapshot waits until somebody lets it serve'),
  problem: z.record(z.string(), z.unknown()).nullable(),
  notices: z.array(z.string()),
  started: z.enum(['person', 'schedule', 'hook']).describe('by whom; not by a person: with the rights of the owner'),
  by: z.string().describe('whose rights it has'),
  created_at: time,
});
export type KnowledgeRefresh = z.output<typeof knowledgeRefresh>;

const count = z.int().nullable();

export const knowledgeSnapshot = z.object({
  number: z.int(),
  version: z.string().describe('of the knowledge base, whose config says where its documents are'),
  digest: z.string().describe('of its documents, with their paths and texts'),
  commit: z.string().nullable().describe('of its Git repository; null when the base reads none'),
  serves: z.boolean(),
  documents: count.describe(
    'in a list, null for those who may not change the base: some documents are hidden from them',
  ),
  failures: count.describe('files that could not be read; they are not in it'),
  added: count.describe('beside the snapshot that served when this one was made'),
  changed: count,
  removed: count,
  made_by: z.string(),
  made_at: time,
});
export type KnowledgeSnapshot = z.output<typeof knowledgeSnapshot>;

export const knowledgeDocument = z.object({
  id,
  path: z.string(),
  title: z.string(),
  media_type: z.string(),
  bytes: z.int().describe('of the file'),
  pages: z.int().nullable(),
  has_readers: z.boolean().describe('only some of those who may use the base find it'),
  change: z.enum(['added', 'changed', 'same']).describe('beside the snapshot before'),
});
export type KnowledgeDocument = z.output<typeof knowledgeDocument>;

export const knowledgeContents = knowledgeSnapshot.extend({
  listed: z.array(knowledgeDocument).describe('that the caller may read, by path'),
  unreadable: z.array(z.object({ path: z.string(), problem: z.string() })),
  gone: z.array(z.string()).describe('paths that the snapshot before had'),
});
export type KnowledgeContents = z.output<typeof knowledgeContents>;

export const passage = z.object({
  text: z.string().describe('untrusted: somebody else may have written it'),
  score: z.number().describe('of the ranks by words and by meaning together'),
  rerank_score: z
    .number()
    .nullable()
    .describe('of the rerank model, on a scale of its own; null: it has not ranked it'),
  title: z.string(),
  path: z.string(),
  headings: z.array(z.string()),
  base: z.string().describe('knowledge-bases/<name>'),
  snapshot: z.int(),
  document: id,
  start: z.int().describe('the first byte of the passage in the text of the document'),
  end: z.int(),
  link: z.string().describe('a page that shows the passage in its document'),
});
export type Passage = z.output<typeof passage>;

export const found = z.object({
  passages: z.array(passage),
  searched: z
    .array(z.object({ base: z.string(), snapshot: z.int() }))
    .describe('the snapshots that served when it was made'),
  notices: z.array(z.string()).describe('what this search did not do, and why'),
});
export type FoundPassages = z.output<typeof found>;

const standing = z.object({ rank: z.int(), score: z.number() }).nullable().describe('null: not among the best');
export const explainedPassage = passage.omit({ text: true, link: true, rerank_score: true }).extend({
  words: standing,
  meaning: standing,
  reranked: standing,
});
export type ExplainedPassage = z.output<typeof explainedPassage>;

export const explainedSearch = z.object({
  of: z.string().describe('for whom'),
  passages: z
    .array(explainedPassage)
    .describe('that they find, the best first; the score is that of words and meaning together'),
  taken_out: z.array(explainedPassage).describe('that their rights hide from them; others would find these as well'),
  notices: z.array(z.string()),
});
export type ExplainedSearch = z.output<typeof explainedSearch>;

export const answeredQuestion = z.object({
  question: z.string(),
  expects: z.array(z.string()),
  found: z.array(z.string()).describe('the paths of the best documents, in their order'),
  recall: z.number().describe('the share of what it expects that is among them'),
  rank: z.int().nullable().describe('of the first document that it expects; null: none was found'),
});
export const searchQuality = z.object({
  snapshot: z.int(),
  serves: z.boolean(),
  by: z.string().describe('the RAG index; or the knowledge base itself, by words'),
  k: z.int().describe('how many documents count'),
  recall: z.number().describe('the mean over the questions'),
  mrr: z.number().describe('the mean of 1 / rank'),
  questions: z.array(answeredQuestion),
});
export type SearchQuality = z.output<typeof searchQuality>;

export const qualityCompared = z.object({
  tested: searchQuality,
  serving: searchQuality.nullable().describe('null: the tested snapshot serves, or none does'),
  min_recall: z.number().nullable().describe('a refresh with less does not serve'),
});
export type QualityCompared = z.output<typeof qualityCompared>;

export const erasedDocument = z.object({
  base: z.string(),
  path: z.string(),
  path_digest: z.string().describe('SHA-256 of the path; the log has it in place of the path'),
  contents: z.array(z.string()).describe('SHA-256 of each file that was there'),
  snapshots: z.array(z.int()).describe('those that had it'),
});
export type ErasedDocument = z.output<typeof erasedDocument>;

export const documentText = z.object({
  title: z.string(),
  path: z.string(),
  base: z.string(),
  media_type: z.string(),
  digest: z.string().describe('SHA-256 of the whole text'),
  bytes: z.int().describe('of the whole text'),
  start: z.int(),
  end: z.int(),
  text: z.string().describe('the bytes from `start` to `end`'),
});
export type DocumentText = z.output<typeof documentText>;

const query = text.min(1).max(2000).describe('a question, or words');
const most = z.int().min(1).max(200).optional().describe('how many passages; as its config says when absent');
const started = { kind: 'data', status: 202, schema: knowledgeRefresh } as const;
export const knowledgeQuery = z.strictObject({ query, limit: most });
const search = {
  body: knowledgeQuery,
  reply: { kind: 'data', status: 200, schema: found },
  operation: 'asset.invoke',
  method: 'POST',
  params: byName,
  problems: ['nothing_serves'],
} as const;
export const whyQuery = knowledgeQuery.extend({
  for: z.string().max(300).optional().describe('user:<email>: what they would find; yourself when absent'),
});
const explain = {
  body: whyQuery,
  reply: { kind: 'data', status: 200, schema: explainedSearch },
  operation: 'asset.write',
  method: 'POST',
  params: byName,
  problems: ['nothing_serves'],
} as const;
const bySnapshot = z.strictObject({ name, number: z.coerce.number().int().min(1) });

export const knowledgeEndpoints = {
  'knowledge.refresh': {
    method: 'POST',
    path: '/api/v1/knowledge-bases/{name}/refreshes',
    summary: 'Read the documents of a knowledge base now, and make a snapshot',
    operation: 'asset.write',
    params: byName,
    reply: started,
    problems: [],
  },
  'knowledge.refresh_index': {
    method: 'POST',
    path: '/api/v1/rag-indexes/{name}/refreshes',
    summary: 'Build a RAG index with the settings of its newest version',
    operation: 'asset.write',
    params: byName,
    reply: started,
    problems: [],
  },
  'refreshes.show': {
    method: 'GET',
    path: '/api/v1/refreshes/{id}',
    summary: 'A refresh',
    operation: 'asset.read',
    params: byId,
    reply: { kind: 'data', status: 200, schema: knowledgeRefresh },
    problems: [],
  },
  'refreshes.events': {
    method: 'GET',
    path: '/api/v1/refreshes/{id}/events',
    summary: 'The events of a refresh as they occur; resumable with Last-Event-ID',
    operation: 'asset.read',
    params: byId,
    query: z.strictObject({ after: z.coerce.number().int().min(0).optional() }),
    reply: { kind: 'events', status: 200, schema: runEvent },
    problems: [],
  },
  'refreshes.cancel': {
    method: 'POST',
    path: '/api/v1/refreshes/{id}/cancel',
    summary: 'Cancel a refresh; what serves stays',
    operation: 'asset.write',
    params: byId,
    reply: started,
    problems: ['not_cancellable'],
  },
  'knowledge.snapshots': {
    method: 'GET',
    path: '/api/v1/knowledge-bases/{name}/snapshots',
    summary: 'The snapshots of a knowledge base, the newest first',
    operation: 'asset.read',
    params: byName,
    query: z.strictObject(paging),
    reply: { kind: 'list', status: 200, schema: knowledgeSnapshot },
    problems: [],
  },
  'knowledge.snapshot': {
    method: 'GET',
    path: '/api/v1/knowledge-bases/{name}/snapshots/{number}',
    summary: 'The documents of a snapshot, the files that could not be read, and what is gone',
    operation: 'asset.read',
    params: bySnapshot,
    reply: { kind: 'data', status: 200, schema: knowledgeContents },
    problems: [],
  },
  'knowledge.serve': {
    method: 'POST',
    path: '/api/v1/knowledge-bases/{name}/snapshots/{number}/serve',
    summary: 'Let a snapshot serve: searches find its documents from now on',
    operation: 'asset.write',
    params: bySnapshot,
    reply: { kind: 'data', status: 200, schema: knowledgeSnapshot },
    problems: ['own_request', 'index_behind'],
  },
  'knowledge.search': {
    ...search,
    path: '/api/v1/knowledge-bases/{name}/search',
    summary: 'Search a knowledge base by words',
  },
  'knowledge.search_index': {
    ...search,
    path: '/api/v1/rag-indexes/{name}/search',
    summary: 'Search a RAG index by words and by meaning',
  },
  'knowledge.why': {
    ...explain,
    path: '/api/v1/knowledge-bases/{name}/why',
    summary: 'Why a search finds what it finds: the rank of each passage, and what rights take out',
  },
  'knowledge.why_index': {
    ...explain,
    path: '/api/v1/rag-indexes/{name}/why',
    summary: 'The same for a RAG index, with the rank by meaning',
  },
  'knowledge.test': {
    method: 'POST',
    path: '/api/v1/knowledge-bases/{name}/tests',
    summary: 'Ask the questions of a knowledge base, and compare a snapshot with the one that serves',
    operation: 'asset.write',
    params: byName,
    body: z.strictObject({
      snapshot: z.int().min(1).optional().describe('unset: the newest'),
      index: name.optional().describe('by this RAG index; unset: by words'),
    }),
    reply: { kind: 'data', status: 200, schema: qualityCompared },
    problems: ['nothing_serves', 'no_questions', 'index_behind'],
  },
  'knowledge.erase': {
    method: 'POST',
    path: '/api/v1/knowledge-bases/{name}/erasures',
    summary:
      'Erase a document from every snapshot, with its text, chunks and vectors; the same content does not come back',
    operation: 'asset.write',
    params: byName,
    body: z.strictObject({ path: z.string().min(1).max(2000) }),
    reply: { kind: 'data', status: 200, schema: erasedDocument },
    problems: [],
  },
  'knowledge.text': {
    method: 'GET',
    path: '/api/v1/knowledge-bases/{name}/documents/{document}',
    summary: 'The text of a document, or a part of it',
    operation: 'asset.invoke',
    params: z.strictObject({ name, document: id }),
    query: z.strictObject({
      start: z.coerce.number().int().min(0).default(0),
      end: z.coerce.number().int().min(1).optional().describe('at most 200,000 bytes after `start`'),
    }),
    reply: { kind: 'data', status: 200, schema: documentText },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
