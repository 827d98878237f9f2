import { defineCommand, optional } from '../../command.ts';
import { describeValue, holderOf } from '../../keys/describe-key.ts';
import { findKey } from '../../keys/find-key.ts';
import { CliRefusal } from '../../refusal.ts';
import type { Session } from '../../session/session.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'key claim',
  summary: 'Take the keys that wait for you; prints each of them, once',
  needs: 'key.create_own',
  examples: ['svc key claim', 'svc key claim gtk_Zk3vQ1Lx --json'],
  arguments: { key: optional('Only this one: its first 12 characters, or its id') },
  flags: {},
  async run({ key }, session) {
    const ids = key === undefined ? await waiting(session) : [(await findKey(session, key)).id];
    const claimed = [];
    for (const id of ids) claimed.push(await session.call('keys.claim', { params: { id } }));
    return {
      data: claimed,
      view: claimed.flatMap((each) => [
        line(good('✓ '), `${each.prefix}… works for ${holderOf(each)}`),
        ...describeValue(session.server, each),
      ]),
    };
  },
});

async function waiting(session: Session): Promise<string[]> {
  const me = await session.call('auth.me', {});
  const { items } = await session.call('keys.list', { query: { scope: me.kind, limit: 200 } });
  const mine = items.filter(({ state, scope_name }) => {
    const name = me.kind === 'user' ? me.email : `principal:${me.name}`;
    return state === 'waiting' && scope_name === name;
  });
  if (mine.length > 0) return mine.map(({ id }) => id);
  throw new CliRefusal('nothing_waits', 'No key waits for you', { hint: 'Create one: svc key create' });
}
