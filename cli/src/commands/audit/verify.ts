import type { Verification } from '@gantry/contract/audit/audit.ts';
import { newestCheckpoints, unsignedBy } from '../../audit/checkpoints.ts';
import { defineCommand, text } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { bad, good, line, strong, warn, type View } from '../../view/view.ts';

export const command = defineCommand({
  words: 'audit verify',
  summary: 'Recompute every hash of the log; exit 0 true, 1 damaged, 4 not verifiable without a copy from outside',
  needs: 'audit.verify',
  examples: ['svc audit verify', 'svc audit verify --anchor /mnt/witness/anchors --pubkey checkpoint-key.pub'],
  arguments: {},
  flags: {
    head: text('The head from an earlier verification', 'noted'),
    anchor: text('A file of checkpoints from outside, such as AUDIT_ANCHOR_FILE', 'file'),
    pubkey: text('The public key of the log, from an earlier `svc audit key`', 'file'),
  },
  async run({ head, anchor, pubkey }, session) {
    const query = {
      ...(head === undefined ? {} : { head }),
      ...(anchor === undefined ? {} : { anchor: await newestCheckpoints(anchor) }),
    };
    const verification = await session.call('audit.verify', { query });
    const strange = pubkey === undefined ? [] : await unsignedBy(pubkey, verification);
    const verdict = strange.length > 0 ? 'damaged' : verification.verdict;
    return {
      data: { ...verification, verdict, ...(pubkey === undefined ? {} : { not_signed_by_this_key: strange }) },
      view: [
        ...describe({ ...verification, verdict }),
        ...strange.map((chain) =>
          line('  ', bad(`${chain}  wrong_key`), '  The newest checkpoint is not signed by this key.'),
        ),
        line('head  ', strong(verification.head)),
      ],
      exit: { true_as_anchored: exitCodes.done, unanchored: exitCodes.waits, damaged: exitCodes.refused }[verdict],
      person_must_act: verdict !== 'true_as_anchored',
      next:
        verdict === 'damaged'
          ? []
          : [
              {
                command: `svc audit verify --head ${verification.head}`,
                when: 'next time: store this head outside the database',
              },
            ],
    };
  },
});

function describe({ verdict, chains, damage, notices }: Verification): View {
  const counts = chains.map(({ chain, entries }) => `${chain} ${entries}`).join(', ');
  return [
    {
      true_as_anchored: line(
        good('✓ '),
        `The log is true as anchored: every hash holds, and it continues the copy outside (${counts})`,
      ),
      unanchored: line(
        warn('? '),
        `Every hash and signature holds (${counts}). Only a copy from outside shows that no entries are missing at the end`,
      ),
      damaged: line(bad('✗ '), `The log is damaged (${counts})`),
    }[verdict],
    ...damage.map(({ chain, seq, kind, detail }) =>
      line('  ', bad(`${chain}${seq === null ? '' : `/${seq}`}  ${kind}`), `  ${detail}`),
    ),
    ...notices.map(({ chain, seq, kind, detail }) => line('  ', warn(`${chain}/${seq}  ${kind}`), `  ${detail}`)),
    line('signed  ', chains.map(({ chain, signed }) => `${chain} up to ${signed}`).join(', ')),
  ];
}
