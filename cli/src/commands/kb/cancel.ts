import { isId } from '@gantry/contract/wire.ts';
import { defineCommand, required } from '../../command.ts';
import { misuse } from '../../refusal.ts';
import { line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'kb cancel',
  summary: 'Cancel a refresh of a knowledge base or an index; what serves stays',
  needs: 'asset.write',
  examples: [
    'svc kb cancel 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
    'svc kb cancel 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --json',
  ],
  arguments: { refresh: required('The id of the refresh') },
  flags: {},
  async run({ refresh: id }, session) {
    const isWhole: boolean = isId(id);
    if (!isWhole)
      throw misuse(`"${id}" is no id of a refresh`, 'A second `svc kb refresh <name>` names the one that runs.');
    const cancelled = await session.call('refreshes.cancel', { params: { id } });
    return {
      data: cancelled,
      view: [line(`The refresh of ${cancelled.ref} is being cancelled; what serves stays`)],
    };
  },
});
