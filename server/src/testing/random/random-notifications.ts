// Notifications of a random organisation: about a request, or about an account of any team, of an agent or of the recipient in person.
import fc from 'fast-check';
import { accountKinds, requestKinds } from '@gantry/contract/telling/notifications.ts';

type Sizes = Record<'users' | 'assets' | 'teams', number>;
type Ids = Record<keyof Sizes | 'requests', string[]>;

interface RandomNotification {
  user: number;
  asset: number;
  kind: (typeof requestKinds)[number];
  /** Null: it is about a request. */
  account: { kind: (typeof accountKinds)[number]; team: number | null; of_asset: boolean; is_own: boolean } | null;
  read: boolean;
}

export function randomNotification({ users, assets, teams }: Sizes): fc.Arbitrary<RandomNotification> {
  return fc.record({
    user: fc.nat(users - 1),
    asset: fc.nat(assets - 1),
    kind: fc.constantFrom(...requestKinds),
    account: fc.option(
      fc.record({
        kind: fc.constantFrom(...accountKinds),
        team: fc.option(fc.nat(teams - 1)),
        of_asset: fc.boolean(),
        is_own: fc.boolean(),
      }),
    ),
    read: fc.boolean(),
  });
}

export function notificationRow(made: RandomNotification, seq: number, read_at: string, ids: Ids) {
  const { user, asset, account, read } = made;
  const about = {
    asset_id: account === null || account.of_asset ? ids.assets[asset] : null,
    ...(account === null
      ? { kind: made.kind, approval_id: ids.requests[asset], asset: 'x', version: '1.0.0', target: 'local' }
      : { kind: account.kind, approval_id: null, asset: null, version: null, target: null }),
    account: account === null ? null : 'x',
    team_id: typeof account?.team === 'number' ? ids.teams[account.team] : null,
    is_own: account?.is_own ?? false,
  };
  return { seq, user_id: ids.users[user], ...about, actor: 'x', words: 'words', read_at: read ? read_at : null };
}
