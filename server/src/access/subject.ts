// What is asked about, with everything the decision needs: authorize() looks nothing up.
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
  /** The reference of the asset that is to be made in it. */
  creating?: string;
}

export interface AssetSubject {
  kind: 'asset';
  id: string;
  /** agents/<name> */
  ref: string;
  team: { id: string; name: string };
  owner_id: string;
  /** The rows about one caller. They decide about nobody else. */
  entries: Entry[];
  /** The caller's id; null where the rows of nobody were read. */
  entries_of?: string | null;
  published: boolean;
}

/** What stands between a version and its deploy. */
export interface Gate {
  /** The approval of exactly this digest and target; undefined when there is none. */
  approval_id: string | undefined;
  /** access.require_approval in the version's agent.yaml. */
  version_requires_approval: boolean;
  /** require_approval_for_admins of the organisation. */
  admins_require_approval: boolean;
}

export interface DeploySubject extends AssetSubject {
  gate: Gate;
}

export type Subject = { kind: 'org' } | TeamSubject | AssetSubject | DeploySubject;

export const theOrg = { kind: 'org' } as const;
