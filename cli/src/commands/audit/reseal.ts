import { defineCommand, needed, text } from '../../command.ts';
import { runServerProgram } from '../../server/server-process.ts';
import { good, line, type View } from '../../view/view.ts';

interface Resealed {
  chain: string;
  lost: number;
  kept: number;
}

export const command = defineCommand({
  words: 'audit reseal',
  summary: 'After a restore: record what the log has lost, and sign on from there; needs the key and the file outside',
  needs: 'this machine',
  examples: [
    'svc audit reseal --reason "restored last night’s backup"',
    'svc audit reseal --reason "disk died" --json',
  ],
  arguments: {},
  flags: {
    reason: needed(text('Why, for whoever reads the log', 'text'), 'For example: --reason "restored a backup"'),
  },
  async run({ reason }, session) {
    const resealed = JSON.parse(await runServerProgram(session, ['reseal', '--reason', reason])) as Resealed[]; // what `reseal` is there to print
    return {
      data: resealed,
      view:
        resealed.length === 0
          ? [line('Nothing to reseal: the log reaches every checkpoint that was signed')]
          : resealed.flatMap(describe),
      next: [{ command: 'svc audit verify', when: 'to see it: the log is true from there on, and says what is lost' }],
    };
  },
});

function describe({ chain, lost, kept }: Resealed): View {
  return [
    line(
      good('✓ '),
      `${chain} goes on after entry ${kept}; what was signed after it, up to ${lost}, is recorded as lost`,
    ),
  ];
}
