// What ends with a user, a team, a group, a service principal or an agent. Each feature says it in its own `when-leaves.ts`; one ordered
// list (roles/leaving.ts) has them all, and runs in the transaction of the change. The row itself is removed by its owner.
import type { Reader } from '../../ground/database/database.ts';
import type { GovernedTx } from './change.ts';

/** Who or what leaves, by kind. */
interface Leaver {
  user: LeavingUser;
  team: { id: string; name: string };
  group: { id: string; name: string };
  principal: { id: string; name: string };
  agent: { id: string };
}

export interface LeavingUser {
  id: string;
  email: string;
  /** A disabled user keeps their assets and rights, and may come back. */
  how: 'disabled' | 'removed' | 'left_team';
  /** The only team that they leave. */
  team_id?: string;
  /** The e-mail address of the next owner of their assets. */
  assets_to?: string | undefined;
}

/** What the audit entry says about it. */
interface Ended {
  assets_to?: string;
  assets?: string[];
  entries?: number;
  reading_grants?: number;
  sessions_ended?: number;
  keys_ended?: string[];
}

type Reaction<Who> = (tx: GovernedTx, leaver: Who) => Promise<Ended>;
type Reactions = { [Kind in keyof Leaver]: Reaction<Leaver[Kind]> };

/** One feature's part. */
export interface WhenLeaves extends Partial<Reactions> {
  feature: string;
  /** What a team still has, as people name it. A team with any of it is not deleted. */
  heldByTeam?: (db: Reader, team_id: string) => Promise<string[]>;
}

export interface Leaves extends Reactions {
  heldByTeam: (db: Reader, team_id: string) => Promise<string[]>;
}

/** Runs the parts one after the other. The first refusal ends the change. */
export function leavesInOrder(parts: readonly WhenLeaves[]): Leaves {
  const run =
    <Who>(reactionOf: (part: WhenLeaves) => Reaction<Who> | undefined): Reaction<Who> =>
    async (tx, leaver) => {
      let ended: Ended = {};
      for (const part of parts) {
        const more = await reactionOf(part)?.(tx, leaver);
        const keys = [...(ended.keys_ended ?? []), ...(more?.keys_ended ?? [])];
        const has_keys = ended.keys_ended !== undefined || more?.keys_ended !== undefined;
        ended = { ...ended, ...more, ...(has_keys && { keys_ended: keys }) };
      }
      return ended;
    };
  return {
    user: run((part) => part.user),
    team: run((part) => part.team),
    group: run((part) => part.group),
    principal: run((part) => part.principal),
    agent: run((part) => part.agent),
    heldByTeam: async (db, team_id) => {
      const held: string[] = [];
      for (const part of parts) held.push(...((await part.heldByTeam?.(db, team_id)) ?? []));
      return held;
    },
  };
}
