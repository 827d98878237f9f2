import { defineCommand, required } from '../../command.ts';
import { describeValue } from '../../keys/describe-key.ts';
import { findKey } from '../../keys/find-key.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'key rotate',
  summary: 'Replace a gateway key by one with the same rights, limits and spending; the old one ends at once',
  needs: 'key.create_own',
  examples: ['svc key rotate gtk_Zk3vQ1Lx', 'svc key rotate gtk_Zk3vQ1Lx --json'],
  arguments: { key: required('Its first 12 characters, or its id') },
  flags: {},
  async run({ key }, session) {
    const { id, prefix } = await findKey(session, key);
    const next = await session.call('keys.rotate', { params: { id } });
    return {
      data: next,
      view: [
        line(good('✓ '), `${next.prefix}… replaces ${prefix}…, which no longer works`),
        ...describeValue(session.server, next),
      ],
    };
  },
});
