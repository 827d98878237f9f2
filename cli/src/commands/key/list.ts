import { keyScopes } from '@gantry/contract/models/keys.ts';
import { choice, defineCommand, toggle } from '../../command.ts';
import { holderOf } from '../../keys/describe-key.ts';
import { describeLimits } from '../../keys/limits.ts';
import { spentByKey } from '../../keys/spent.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { bad, good, prose, table, time, warn } from '../../view/view.ts';

export const command = defineCommand({
  words: 'key list',
  summary: 'Your gateway keys, and those that you may manage',
  needs: 'key.list',
  examples: ['svc key list', 'svc key list --scope agent --all --json'],
  arguments: {},
  flags: {
    scope: choice('Only those of this scope', keyScopes),
    all: toggle('Also the revoked ones'),
    limit: limitFlag,
  },
  async run({ scope, all, limit }, session) {
    const { team } = session.globals;
    const filter = {
      all: all ? 'true' : 'false',
      ...(scope === undefined ? {} : { scope }),
      ...(team === undefined ? {} : { team }),
    };
    const keys = await takePages(session, limit, (query) =>
      session.call('keys.list', { query: { ...filter, ...query } }),
    );
    const spent = await spentByKey(session);
    return {
      data: keys.map((key) => ({ ...key, spent_30_days: spent(key.prefix) })),
      view: [
        table(
          ['key', 'state', 'works for', 'spent (30 d)', prose('models'), prose('limits'), prose('tags'), 'expires'],
          keys.map((key) => [
            `${key.prefix}…`,
            key.state === 'active' ? good('active') : key.state === 'waiting' ? warn('waiting') : bad(key.state),
            holderOf(key),
            spent(key.prefix),
            key.models.join(', '),
            describeLimits(key.limits),
            key.tags.join(', '),
            key.expires_at === null ? 'never' : time(key.expires_at),
          ]),
          'No keys yet. Create one: svc key create',
        ),
      ],
      ...(keys.some(({ state }) => state === 'waiting')
        ? { next: [{ command: 'svc key claim', when: 'to take those that wait for you' }] }
        : {}),
    };
  },
});
