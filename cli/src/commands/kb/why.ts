import { defineCommand, required, text, whole } from '../../command.ts';
import { knowledgeAsset } from '../../knowledge/asset.ts';
import { line, strong, table, warn } from '../../view/view.ts';

type Standing = { rank: number; score: number } | null;
const standing = (one: Standing) => (one === null ? null : `${one.rank} (${one.score.toFixed(3)})`);

export const command = defineCommand({
  words: 'kb why',
  summary: 'Why a search finds what it finds: each rank and score, and what rights take out',
  needs: 'asset.write',
  examples: [
    "svc kb why handbook 'days of leave'",
    "svc kb why rag-indexes/handbook 'days off' --for user:bob@example.com --json",
  ],
  arguments: { base: knowledgeAsset, query: required('A question, or words') },
  flags: {
    for: text('What this person would find', 'user:<email>'),
    limit: whole('How many passages', 'number', { least: 1, most: 200 }),
  },
  async run({ base: { kind, name }, query, for: person, limit }, session) {
    const endpoint = kind === 'rag-index' ? 'knowledge.why_index' : 'knowledge.why';
    const found = await session.call(endpoint, { params: { name }, body: { query, limit, for: person } });
    const isReranked = found.passages.some(({ reranked }) => reranked !== null);
    const columns = ['path', 'headings', 'by words', 'by meaning', 'together', ...(isReranked ? ['reranked'] : [])];
    const rows = (passages: typeof found.passages) =>
      passages.map((one) => [
        one.path,
        one.headings.join(' › '),
        standing(one.words),
        standing(one.meaning),
        one.score.toFixed(4),
        ...(isReranked ? [standing(one.reranked)] : []),
      ]);
    const hidden = rows(found.taken_out);
    return {
      data: found,
      view: [
        line(strong(`Found for ${found.of}`)),
        table(columns, rows(found.passages), 'Nothing was found.'),
        ...(hidden.length === 0 ? [] : [line(strong('Taken out by rights')), table(columns, hidden, '')]),
        ...found.notices.map((notice) => line(warn(notice))),
      ],
    };
  },
});
