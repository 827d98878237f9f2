// Who asks. Roles are read with every request, never from the token, so that a demotion acts at once.
import type { Operation, Role } from '@gantry/contract/roles.ts';
import type { Receipt } from '../audit/append.ts';
import type { Moment } from '../copies/copies.ts';
import type { Tx } from '../database/database.ts';

/** Where a request came from, and the audit entries that it made. */
export interface Origin {
  request_id: string | null;
  ip: string | null;
  receipts: Receipt[];
  /** Joins the transaction of each governed change that is made for the request; what it throws undoes the change. */
  onChange?: (tx: Tx) => Promise<void>;
}

export interface Membership {
  team_id: string;
  team: string;
  role: Role;
}

/** What the decision asks of whoever is signed in. */
interface SignedIn {
  id: string;
  /** How the log and other people know them: an e-mail, or `principal:<name>`. */
  label: string;
  /** Platform role. */
  role: Role;
  memberships: Membership[];
  /** Ids of the groups that they are in. */
  groups: string[];
  primary_team: { id: string; name: string } | null;
  /** The team that X-Service-Team names, else the primary one. */
  active_team: { id: string; name: string } | null;
  session_id: string;
  /** When all of this was true; undefined for work that goes on without a request. */
  moment?: Moment;
  origin: Origin;
}

export interface UserCaller extends SignedIn {
  kind: 'user';
  email: string;
  name: string;
  must_change_password: boolean;
}

/** A service principal: in one team, with the role it was given there, and with nothing beyond that. */
export interface ServicePrincipalCaller extends SignedIn {
  kind: 'principal';
  name: string;
  /** Globs over references, such as `agents/*`: what matches none of them does not exist for it. */
  allowed_assets: string[];
}

export type SignedInCaller = UserCaller | ServicePrincipalCaller;

type OfRequest = 'active_team' | 'session_id' | 'moment' | 'origin';

/** A caller without what their request adds. */
export type Identity = UserIdentity | ServicePrincipalIdentity;
export type UserIdentity = Omit<UserCaller, OfRequest>;
export type ServicePrincipalIdentity = Omit<ServicePrincipalCaller, OfRequest>;

/** Nobody signed in. */
export interface AnonymousCaller {
  kind: 'anonymous';
  origin: Origin;
}

/** The service itself, for one of the reasons that roles.ts lists. */
export interface SystemCaller {
  kind: 'system';
  operation: Extract<Operation, `system.${string}`>;
  origin: Origin;
}

export type Caller = SignedInCaller | AnonymousCaller | SystemCaller;

export function systemCaller(operation: SystemCaller['operation']): SystemCaller {
  return { kind: 'system', operation, origin: { request_id: null, ip: null, receipts: [] } };
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
      return { kind: caller.kind, id: caller.id, name: caller.label };
    case 'anonymous':
      return { kind: 'anonymous', id: null, name: 'anonymous' };
    case 'system':
      return { kind: 'system', id: null, name: caller.operation };
  }
}
