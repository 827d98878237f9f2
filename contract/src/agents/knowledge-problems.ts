// The refusals about knowledge bases and RAG indexes. problems.ts has all of them.
export const knowledgeProblems = {
  nothing_serves: {
    status: 409,
    title: 'Nothing of it can be searched yet',
    hint: 'Refresh it: `svc kb refresh <name>`.',
  },
  index_behind: {
    status: 409,
    title: 'A RAG index has no chunks of this snapshot',
    hint: 'Refresh the knowledge base: `svc kb refresh <name>`.',
  },
  no_questions: {
    status: 409,
    title: 'The knowledge base has no questions',
    hint: 'Add `questions` to its config, each with the documents that it expects.',
  },
  recall_too_low: {
    status: 409,
    title: 'The new snapshot answers too few of the questions',
    hint: 'See which ones: `svc kb test <name>`.',
  },
  too_many_chunks: {
    status: 409,
    title: 'The knowledge base is too large for a search by meaning',
    hint: 'Add pgvector to the database (docs/guide/knowledge.md), take a larger `chunk_size`, or divide the base into several.',
  },
  source_failed: {
    status: 409,
    title: 'A source of the knowledge base cannot be listed',
    hint: 'Correct its config or its secret, and refresh it again. What serves stays.',
  },
  uploads_off: {
    status: 409,
    title: 'This knowledge base takes no uploads',
    hint: 'Add `uploads: true` to its config: `svc registry knowledge-base edit <name>`.',
  },
  uploads_full: {
    status: 409,
    title: 'This knowledge base has no room for the file',
    hint: 'Delete files: `svc kb uploads <name>`, then `svc kb delete-upload <name> <path>`. Or divide the base into several.',
  },
} as const;
