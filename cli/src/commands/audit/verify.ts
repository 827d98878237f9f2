import type { Verification } from '@gantry/contract/audit.ts';
import { defineCommand, text } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { bad, good, line, strong, warn, type View } from '../../view/view.ts';

export const command = defineCommand({
  words: 'audit verify',
  summary: 'Recompute every hash of the log; exit 0 true, 1 damaged, 4 not verifiable without a noted head',
  needs: 'audit.verify',
  examples: ['svc audit verify', 'svc audit verify --head "$(cat noted-head)"'],
  arguments: {},
  flags: { head: text('The head that an earlier verification printed', 'noted') },
  async run({ head }, session) {
    const verification = await session.call('audit.verify', { query: head === undefined ? {} : { head } });
    const { verdict } = verification;
    return {
      data: verification,
      view: describe(verification),
      exit: { true_as_anchored: exitCodes.done, unanchored: exitCodes.waits, damaged: exitCodes.refused }[verdict],
      person_must_act: verdict !== 'true_as_anchored',
      next:
        verdict === 'damaged'
          ? []
          : [
              {
                command: `svc audit verify --head ${verification.head}`,
                when: 'next time: note this head where the database cannot reach it',
              },
            ],
    };
  },
});

function describe({ verdict, chains, damage, head }: Verification): View {
  const counts = chains.map(({ chain, entries }) => `${chain} ${entries}`).join(', ');
  return [
    {
      true_as_anchored: line(
        good('✓ '),
        `The log is true as anchored: every hash holds and it continues the noted head (${counts})`,
      ),
      unanchored: line(
        warn('? '),
        `Every hash holds (${counts}), but without a head noted earlier nothing says that the end was not cut off`,
      ),
      damaged: line(bad('✗ '), `The log is damaged (${counts})`),
    }[verdict],
    ...damage.map(({ chain, seq, kind, detail }) =>
      line('  ', bad(`${chain}${seq === null ? '' : `/${seq}`}  ${kind}`), `  ${detail}`),
    ),
    line('head  ', strong(head)),
  ];
}
