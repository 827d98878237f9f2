import { defineCommand, moment, needed, text } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { runServerProgram } from '../../server/server-process.ts';
import { faint, good, line, type View } from '../../view/view.ts';

interface Pruned {
  chain: string;
  up_to: number | null;
  deleted: number;
}

export const command = defineCommand({
  words: 'audit prune',
  summary: 'Delete old entries of the log, up to a signed checkpoint; the log records the deletion',
  needs: 'this machine',
  examples: [
    'svc audit prune --before 52w --reason "kept for a year"',
    'svc audit prune --before 2026-01-01 --reason "retention" --yes',
  ],
  arguments: {},
  flags: {
    before: needed(moment('Entries older than this'), 'For example: --before 52w'),
    reason: needed(text('The reason, for readers of the log', 'text'), 'For example: --reason "kept for a year"'),
    yes: yesFlag,
  },
  async run({ before, reason, yes }, session) {
    await confirmFinal(session, {
      yes,
      deed: `Delete the log's entries before ${before}`,
      otherwise: 'no entry was deleted',
    });
    const pruned = JSON.parse(
      await runServerProgram(session, ['prune', '--before', before, '--reason', reason]),
    ) as Pruned[]; // the output of `prune`
    return { data: pruned, view: pruned.flatMap(describe) };
  },
});

function describe({ chain, up_to, deleted }: Pruned): View {
  return [
    up_to === null
      ? line(faint(`  ${chain}: no entries that old under a signed checkpoint`))
      : line(
          good('✓ '),
          `${chain} begins after entry ${up_to}: ${deleted} entries are deleted, and the log records it`,
        ),
  ];
}
