import { defineCommand } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { collectionLines } from '../../target/describe-drift.ts';

export const command = defineCommand({
  words: 'server gc',
  summary:
    'Remove from every target what nobody needs there, such as the leftovers of a crash; exit 1 when something stays',
  needs: 'target.change',
  examples: ['svc server gc', 'svc server gc --json'],
  arguments: {},
  flags: {},
  async run(_input, session) {
    const collected = await session.call('targets.collect', {});
    const isDone = collected.every(({ left, reason }) => left.length === 0 && reason === null);
    return {
      data: collected,
      view: collectionLines(collected),
      exit: isDone ? exitCodes.done : exitCodes.refused,
    };
  },
});
