import { defineCommand, required } from '../../command.ts';
import { findKey } from '../../keys/find-key.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'key resume',
  summary: 'End the pause of a gateway key whose call cost more than was held for it',
  needs: 'key.manage',
  examples: ['svc key resume gtk_Zk3vQ1Lx', 'svc key resume gtk_Zk3vQ1Lx --json'],
  arguments: { key: required('Its first 12 characters, or its id') },
  flags: {},
  async run({ key }, session) {
    const { id } = await findKey(session, key);
    const resumed = await session.call('keys.resume', { params: { id } });
    return { data: resumed, view: [line(good('✓ '), `${resumed.prefix}… works again`)] };
  },
});
