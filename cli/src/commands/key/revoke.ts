import { defineCommand, required } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { holderOf } from '../../keys/describe-key.ts';
import { findKey } from '../../keys/find-key.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'key revoke',
  summary: 'End a gateway key, and its calls under way within a second',
  needs: 'key.create_own',
  examples: ['svc key revoke gtk_Zk3vQ1Lx', 'svc key revoke gtk_Zk3vQ1Lx --yes'],
  arguments: { key: required('Its first 12 characters, or its id') },
  flags: { yes: yesFlag },
  async run({ key, yes }, session) {
    const found = await findKey(session, key);
    const { id, prefix, alias } = found;
    await confirmFinal(session, {
      yes,
      deed: `Revoke ${prefix}… (${alias}), which works for ${holderOf(found)}`,
      otherwise: `${prefix}… was not revoked`,
    });
    await session.call('keys.revoke', { params: { id } });
    return { data: { id }, view: [line(good('✓ '), `${prefix}… (${alias}) no longer works`)] };
  },
});
