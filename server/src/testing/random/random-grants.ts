import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { readingRights, type ReadingRight } from '@gantry/contract/roles.ts';

/** By their places in a random organisation; a grant without a team is on the organisation. */
interface RandomGrant {
  right: ReadingRight;
  to: 'user' | 'group';
  n: number;
  team: number | null;
}

export const randomGrants = (size: { groups: number; teams: number }): fc.Arbitrary<RandomGrant[]> =>
  fc.uniqueArray(
    fc.record({
      right: fc.constantFrom(...readingRights),
      to: fc.constantFrom('user' as const, 'group' as const),
      n: fc.nat(size.groups - 1),
      team: fc.option(fc.nat(size.teams - 1), { freq: 4 }),
    }),
    { maxLength: 4, selector: (grant) => JSON.stringify(grant) },
  );

interface Ids {
  holder: (to: RandomGrant['to'], n: number) => string | null;
  team: (n: number) => string;
}

export const grantRow = ({ right, to, n, team }: RandomGrant, ids: Ids) => ({
  id: randomUUID(),
  reading_right: right,
  principal_type: to,
  principal_id: ids.holder(to, n),
  team_id: team === null ? null : ids.team(team),
  granted_by: randomUUID(),
});
