// Gateway keys of a random organisation: of every scope, for any holder and team.
import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { keyScopes, type KeyScope } from '@gantry/contract/models/keys.ts';

type Sizes = Record<'users' | 'machines' | 'assets' | 'teams', number>;
type Ids = Record<keyof Sizes, string[]>;

interface RandomKey {
  scope: KeyScope;
  user: number;
  machine: number;
  asset: number;
  team: number;
}

export function randomKey({ users, machines, assets, teams }: Sizes): fc.Arbitrary<RandomKey> {
  return fc.record({
    scope: fc.constantFrom(...keyScopes),
    user: fc.nat(users - 1),
    machine: fc.nat(machines - 1),
    asset: fc.nat(assets - 1),
    team: fc.nat(teams - 1),
  });
}

export function keyRow({ scope, user, machine, asset, team }: RandomKey, ids: Ids) {
  const holders: Record<KeyScope, string | undefined> = {
    org: randomUUID(),
    team: ids.teams[team],
    user: ids.users[user],
    agent: ids.assets[asset],
    principal: ids.machines[machine],
  };
  return {
    alias: 'x',
    scope,
    scope_id: holders[scope],
    team_id: scope === 'org' ? null : ids.teams[team],
    digest: `\\x${randomBytes(8).toString('hex')}`,
    prefix: 'gtk_00000000',
    models: [],
    tags: [],
    issued: false,
  };
}
