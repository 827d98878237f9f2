// The caller of a request. Every request reads the roles again, never from the token, so a demotion acts at once.
import type { ClientScope } from '@gantry/contract/people/clients.ts';
import type { Operation, ReadingRight, Role } from '@gantry/contract/roles.ts';
import type { Receipt } from '../audit/append.ts';
import type { Moment, Presence } from '../../ground/copies/copies.ts';
import type { Tx } from '../../ground/database/database.ts';
import type { RunClaims } from '../../ground/run-token.ts';

/** The origin of a request, and the audit entries of its changes. */
export interface Origin {
  request_id: string | null;
  ip: string | null;
  receipts: Receipt[];
  /** Runs in the transaction of each governed change of the request. An error in it undoes the change. */
  onChange?: (tx: Tx) => Promise<void>;
}

export interface Membership {
  team_id: string;
  team: string;
  role: Role;
}

/** A right to read the costs or the log, of a team or of the organisation. */
export interface HeldGrant {
  id: string;
  right: ReadingRight;
  /** Null for the organisation. */
  team_id: string | null;
  expires_at: string | null;
  /** The group that has the grant; null for one of the caller. */
  group_id: string | null;
}

/** The facts about a signed-in caller that decisions use. */
interface SignedIn {
  id: string;
  /** The name in the log and for other people: an e-mail address or `principal:<name>`. */
  label: string;
  /** Platform role. */
  role: Role;
  memberships: Membership[];
  /** Ids of the caller's groups. */
  groups: string[];
  /** The grants to the caller and to their groups that have not ended. */
  reading: HeldGrant[];
  primary_team: { id: string; name: string } | null;
  /** The team that X-Service-Team names, else the primary one. */
  active_team: { id: string; name: string } | null;
  /** Null for work without a request. */
  presence: Presence | null;
  /** The moment at which these facts were true; undefined for work without a request. */
  moment?: Moment;
  /** A client of others acts for the person, with these scopes alone. */
  client?: { scopes: readonly ClientScope[] };
  origin: Origin;
}

export interface UserCaller extends SignedIn {
  kind: 'user';
  email: string;
  name: string;
  must_change_password: boolean;
}

/** A service principal is in one team and has one role there. It has no other rights. */
export interface ServicePrincipalCaller extends SignedIn {
  kind: 'principal';
  name: string;
  /** Globs over references, such as `agents/*`. All other assets are hidden from it. */
  allowed_assets: string[];
}

export type SignedInCaller = UserCaller | ServicePrincipalCaller;

type OfRequest = 'active_team' | 'presence' | 'moment' | 'client' | 'origin';

/** A caller without the facts of one request. */
export type Identity = UserIdentity | ServicePrincipalIdentity;
export type UserIdentity = Omit<UserCaller, OfRequest>;
export type ServicePrincipalIdentity = Omit<ServicePrincipalCaller, OfRequest>;

/** Nobody signed in. */
export interface AnonymousCaller {
  kind: 'anonymous';
  origin: Origin;
}

/** The service itself, for one of the system operations in roles.ts. */
export interface SystemCaller {
  kind: 'system';
  operation: Extract<Operation, `system.${string}`>;
  origin: Origin;
}

/** A gateway key whose digest is stored. Whether it works at this moment is for the gateway's admission. */
export interface KeyCaller {
  kind: 'key';
  id: string;
  /** `key:` and its first 12 characters. */
  label: string;
  scope: 'org' | 'team' | 'user' | 'agent' | 'principal';
  scope_id: string;
  team_id: string | null;
  /** The accounts that pay for its calls. */
  accounts: readonly string[];
  origin: Origin;
}

/** An agent that calls others for itself. */
interface AgentItself {
  kind: 'agent';
  id: string;
  /** agents/<name> */
  label: string;
  /** It has no role in its team. */
  memberships: readonly [];
}

/** An agent that calls one of its subagents. */
export interface AgentCaller extends AgentItself {
  name: string;
  team: { id: string; name: string };
  revision_id: string;
  version_id: string;
  /** The gateway key of the revision, which pays for judges. */
  key_id: string;
  /** The run that it calls for, as its token says. Without one it calls for itself. */
  run: RunClaims | undefined;
  origin: Origin;
}

/** For whom an agent is called at last. */
export type EndCaller = SignedInCaller | AgentItself;

export type Caller = SignedInCaller | KeyCaller | AgentCaller | AnonymousCaller | SystemCaller;

/** The origin of work that no request asks for, with a list of receipts of its own. */
export function noRequest(): Origin {
  return { request_id: null, ip: null, receipts: [] };
}

export function systemCaller(operation: SystemCaller['operation']): SystemCaller {
  return { kind: 'system', operation, origin: noRequest() };
}

export interface Actor {
  kind: string;
  id: string | null;
  name: string;
}

/** The caller as the audit log names it. */
export function actorOf(caller: Caller): Actor {
  switch (caller.kind) {
    case 'user':
    case 'principal':
    case 'key':
    case 'agent':
      return { kind: caller.kind, id: caller.id, name: caller.label };
    case 'anonymous':
      return { kind: 'anonymous', id: null, name: 'anonymous' };
    case 'system':
      return { kind: 'system', id: null, name: caller.operation };
  }
}
