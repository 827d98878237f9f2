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
  summary: 'After a restore: record the lost entries, and continue signing; needs the key and the file outside',
  needs: 'this machine',
  examples: [
    'svc audit reseal --reason "restored last night’s backup"',
    'svc audit reseal --reason "disk died" --json',
  ],
  arguments: {},
  flags: {
    reason: needed(text('The reason, for readers of the log', 'text'), 'For example: --reason "restored a backup"'),
  },
  async run({ reason }, session) {
    const resealed = JSON.parse(await runServerProgram(session, ['reseal', '--reason', reason])) as Resealed[]; // the output of `reseal`
    return {
      data: resealed,
      view:
        resealed.length === 0
          ? [line('Nothing to reseal: the log reaches every signed checkpoint')]
          : resealed.flatMap(describe),
      next: [{ command: 'svc audit verify', when: 'to check: the log is true from there, and names the lost entries' }],
    };
  },
});

function describe({ chain, lost, kept }: Resealed): View {
  return [
    line(
      good('✓ '),
      `${chain} continues after entry ${kept}; signed entries after it, up to ${lost}, are recorded as lost`,
    ),
  ];
}
