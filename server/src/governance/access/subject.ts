// The subject of a decision, with all facts that it needs. authorize() loads nothing.
import type { Action, PrincipalType } from '@gantry/contract/roles.ts';

/** One ACL row. */
export interface Entry {
  principal_type: PrincipalType;
  principal_id: string | null;
  actions: Action[];
}

export interface TeamSubject {
  kind: 'team';
  id: string;
  name: string;
  /** The reference of the new asset. */
  creating?: string;
}

export interface AssetSubject {
  kind: 'asset';
  id: string;
  /** agents/<name> */
  ref: string;
  team: { id: string; name: string };
  owner_id: string;
  /** The entries about one caller. They are not valid for other callers. */
  entries: Entry[];
  /** The caller's id; null if no entries were loaded. */
  entries_of?: string | null;
  published: boolean;
}

/** The conditions for a version's deploy. */
export interface Gate {
  /** Undefined for a kind without targets. */
  target: string | undefined;
  /** The version in question, for the words of a refusal. Absent: the newest. */
  version?: string;
  /** The approval of exactly this digest and target, if any. */
  approval_id: string | undefined;
  /** access.require_approval in the version's agent.yaml, require_approval in the config of a prompt. */
  version_requires_approval: boolean;
  /** require_approval_for_admins of the organisation. */
  admins_require_approval: boolean;
  /** Secrets of the team that the deployed content does not name. Admins need an approval for them too. */
  new_team_secrets: readonly string[];
  /** What a deploy would get now, and the approval of this content and target does not cover. */
  beyond_approval: readonly string[];
}

export interface DeploySubject extends AssetSubject {
  gate: Gate;
}

export type Subject = { kind: 'org' } | TeamSubject | AssetSubject | DeploySubject;

export const theOrg = { kind: 'org' } as const;
