import type { GovernedTx } from '../../governance/access/change.ts';

export interface NewMember {
  id: string;
  email: string;
  team_id: string;
  /** The user who adds them. */
  issued_by: string;
}

/** Issues a new member's gateway key, which waits to be claimed. Returns its name. A higher folder provides it. */
export type IssueKey = (tx: GovernedTx, member: NewMember) => Promise<string>;
