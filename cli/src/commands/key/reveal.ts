import { defineCommand, required } from '../../command.ts';
import { describeValue, holderOf } from '../../keys/describe-key.ts';
import { findKey } from '../../keys/find-key.ts';
import { line, warn } from '../../view/view.ts';

export const command = defineCommand({
  words: 'key reveal',
  summary: 'Print a gateway key again; the audit log says who has seen it',
  needs: 'key.reveal',
  examples: ['svc key reveal gtk_Zk3vQ1Lx', 'svc key reveal gtk_Zk3vQ1Lx --json'],
  arguments: { key: required('Its first 12 characters, or its id') },
  flags: {},
  async run({ key }, session) {
    const { id } = await findKey(session, key);
    const shown = await session.call('keys.reveal', { params: { id } });
    return {
      data: shown,
      view: [
        line(warn('note '), `${shown.prefix}… works for ${holderOf(shown)}; the audit log names you`),
        ...describeValue(session.server, shown),
      ],
      next: [{ command: `svc key rotate ${shown.prefix}`, when: 'to replace a key that others have seen' }],
    };
  },
});
