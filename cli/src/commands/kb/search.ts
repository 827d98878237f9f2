import { defineCommand, required, whole } from '../../command.ts';
import { knowledgeAsset } from '../../knowledge/asset.ts';
import { faint, line, link, strong, verbatim, warn, type Block } from '../../view/view.ts';

export const command = defineCommand({
  words: 'kb search',
  summary: 'Search a knowledge base by words, or a RAG index by words and meaning',
  needs: 'asset.invoke',
  examples: [
    "svc kb search handbook 'days of leave'",
    "svc kb search rag-indexes/handbook 'days off' --limit 3 --json",
  ],
  arguments: { base: knowledgeAsset, query: required('A question, or words') },
  flags: { limit: whole('How many passages', 'number', { least: 1, most: 200 }) },
  async run({ base: { kind, name }, query, limit }, session) {
    const endpoint = kind === 'rag-index' ? 'knowledge.search_index' : 'knowledge.search';
    const found = await session.call(endpoint, { params: { name }, body: { query, limit } });
    const shown = found.passages.flatMap(({ title, headings, text, base, snapshot, link: address }): Block[] => [
      line(strong(title), faint([base, `snapshot ${snapshot}`, ...headings].join(' · '))),
      verbatim(text),
      line(link(address)),
      line(''),
    ]);
    return {
      data: found,
      view: [
        ...(shown.length === 0 ? [line('Nothing that you may read has these words.')] : shown),
        ...found.notices.map((notice) => line(warn(notice))),
      ],
    };
  },
});
