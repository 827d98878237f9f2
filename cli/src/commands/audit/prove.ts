import { defineCommand, required } from '../../command.ts';
import { misuse } from '../../refusal.ts';
import { verbatim } from '../../view/view.ts';

export const command = defineCommand({
  words: 'audit prove',
  summary: 'A proof that an entry is in the signed log, for readers who do not trust this service',
  needs: 'audit.verify',
  examples: ['svc audit prove governance/12 > proof.json', 'svc audit prove signin/3 --json'],
  arguments: { entry: required('The audit number, such as governance/12') },
  flags: {},
  async run({ entry }, session) {
    const [, chain, seq] = /^(signin|governance)[/:](\d{1,15})$/.exec(entry) ?? [];
    if (chain === undefined || seq === undefined)
      throw misuse(`An audit number is a chain and a number, such as governance/12, not "${entry}"`, 'See: svc audit');
    const proof = await session.call('audit.prove', { params: { chain: chain as 'signin' | 'governance', seq } }); // the pattern names both
    return {
      data: proof,
      view: [verbatim(JSON.stringify(proof))],
      next: [
        {
          command: 'svc audit verifier > verify.mjs',
          when: 'for the program that verifies it: node verify.mjs proof.json --pubkey <file>',
        },
      ],
    };
  },
});
