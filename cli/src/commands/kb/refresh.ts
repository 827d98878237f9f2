import { readProblem } from '@gantry/contract/problems.ts';
import { defineCommand } from '../../command.ts';
import { knowledgeAsset } from '../../knowledge/asset.ts';
import { watchRefresh } from '../../knowledge/watch-refresh.ts';
import { CliRefusal } from '../../refusal.ts';
import { good, line, warn } from '../../view/view.ts';

export const command = defineCommand({
  words: 'kb refresh',
  summary: 'Read the documents of a knowledge base now, or build a RAG index',
  needs: 'asset.write',
  examples: ['svc kb refresh handbook', 'svc kb refresh rag-indexes/handbook'],
  arguments: { base: knowledgeAsset },
  flags: {},
  async run({ base: { kind, name } }, session) {
    const endpoint = kind === 'rag-index' ? 'knowledge.refresh_index' : 'knowledge.refresh';
    const begun = await session.call(endpoint, { params: { name } });
    const ended = await watchRefresh(session, begun.id);
    if (ended === undefined)
      return {
        data: begun,
        view: [line(`The refresh of ${begun.ref} continues without this terminal: ${begun.id}`)],
        next: [{ command: `svc kb cancel ${begun.id}`, when: 'to stop it' }],
      };
    const { ref, state, snapshot, serves, problem } = ended;
    if (state !== 'done')
      throw readProblem(problem) ?? new CliRefusal('refresh_failed', `The refresh of ${ref} is ${state}`);
    const what = snapshot === null ? ref : `Snapshot ${snapshot} of ${ref}`;
    const search = kind === 'rag-index' ? ref : name;
    return {
      data: ended,
      view: [line(serves ? good(`✓ ${what} is searched from now on`) : warn(`${what} waits for an admin of its team`))],
      next: serves
        ? [{ command: `svc kb search ${search} '…'`, when: 'to search it' }]
        : [{ command: `svc kb show ${name} ${snapshot}`, when: 'to see what is in it' }],
    };
  },
});
