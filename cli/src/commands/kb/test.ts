import { defineCommand, text, whole } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { baseArgument } from '../../knowledge/asset.ts';
import { bad, good, line, table, type Block } from '../../view/view.ts';

export const command = defineCommand({
  words: 'kb test',
  summary: 'Ask the questions of a knowledge base: recall and MRR, beside the snapshot that serves',
  needs: 'asset.write',
  examples: ['svc kb test handbook', 'svc kb test handbook --snapshot 4 --index handbook --json'],
  arguments: { base: baseArgument },
  flags: {
    snapshot: whole('The snapshot; unset: the newest', 'number', { least: 1, most: 2 ** 31 - 1 }),
    index: text('Search by this RAG index; unset: by words', 'name'),
  },
  async run({ base: name, snapshot, index }, session) {
    const compared = await session.call('knowledge.test', { params: { name }, body: { snapshot, index } });
    const { tested, serving, min_recall } = compared;
    const cells = [tested, ...(serving === null ? [] : [serving])].map((one) => [
      one.snapshot,
      one.serves ? 'serves' : null,
      one.by,
      one.recall.toFixed(3),
      one.mrr.toFixed(3),
    ]);
    const missed = tested.questions.filter(({ recall }) => recall < 1);
    const view: Block[] = [
      table(['snapshot', '', 'searched by', `recall@${tested.k}`, 'MRR'], cells, ''),
      ...missed.map(({ question, expects, found }) =>
        line(bad(`✗ ${question}: expects ${expects.join(', ')}, found ${found.join(', ') || 'nothing'}`)),
      ),
      ...(missed.length === 0 ? [line(good(`✓ All ${tested.questions.length} questions are answered`))] : []),
    ];
    const isEnough = tested.recall >= (min_recall ?? 0);
    if (!isEnough) view.push(line(bad(`✗ The recall is below \`min_recall\`, ${min_recall}`)));
    return { data: compared, view, exit: isEnough ? exitCodes.done : exitCodes.refused };
  },
});
