// The recipients of a notification, and the part of it that they can read later. Each rule has a condition that narrows to its candidates.
import { kindsForAdmins, type NotificationKind } from '@gantry/contract/telling/notifications.ts';
import { isAnswerer } from '../../agents/memory/inbox/may-answer.ts';
import type { Membership, UserCaller } from '../../governance/access/caller.ts';
import { canRead, decide } from '../../governance/access/decide.ts';
import { readsWords } from '../../agents/approvals/policy.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';
import { isAdminOf, whereAdminOf, type Person } from '../../people/principals/policy.ts';
import type { AssetRecord } from '../../assets/registry/find.ts';

/** The event, by immutable ids. */
export interface Happened {
  audience: 'admins' | 'submitter';
  actor_id: string | null;
  submitted_by: string;
  team_id: string;
  owner_id: string;
  /** True when a service principal submitted it. It has no notifications, so the owner of the asset gets them. */
  by_machine: boolean;
}

/** Admins are notified of a request, its submitter of the decision; nobody is notified of their own act. */
export function isRecipient(
  person: Omit<Person, 'email'>,
  { audience, actor_id, submitted_by, team_id, owner_id, by_machine }: Happened,
): boolean {
  if (!person.active || person.id === actor_id) return false;
  if (audience === 'admins') return person.id !== submitted_by && isAdminOf(person, team_id);
  return person.id === (by_machine ? owner_id : submitted_by);
}

/** isRecipient() as a condition on `app_user u`. */
export function whereRecipient({ audience, submitted_by, team_id, owner_id }: Happened): Sql {
  return audience === 'admins' ? whereAdminOf([team_id]) : sql`u.id = any(${[submitted_by, owner_id]})`;
}

/** Whose budget it is, by immutable ids. */
export interface AboutAccount {
  /** Null for the organisation. */
  team_id: string | null;
  /** Without an active one, the platform admins get it. */
  team_has_admin: boolean;
  /** The owner of the key, the membership or the agent. */
  owner_id: string | null;
  /** Platform admins get it too. */
  for_platform: boolean;
}

/** Who can act on an account: its owner, and the admins of its team. */
export function isToldOfAccount(
  person: Omit<Person, 'email'>,
  { team_id, team_has_admin, owner_id, for_platform }: AboutAccount,
): boolean {
  if (!person.active) return false;
  if (person.id === owner_id) return true;
  if (person.role === 'admin' && (for_platform || team_id === null || !team_has_admin)) return true;
  return person.memberships.some((membership) => membership.team_id === team_id && membership.role === 'admin');
}

/** isToldOfAccount() as a condition on `app_user u`. */
export function whereToldOfAccount({ team_id, owner_id }: AboutAccount): Sql {
  return sql`(u.id = ${owner_id} or ${whereAdminOf(team_id === null ? [] : [team_id])})`;
}

/** Which runs wait, by immutable ids. */
export interface AboutRuns {
  /** Their callers, with the number of runs. */
  runs_of: ReadonlyMap<string, number>;
  /** The team of the agent. */
  team_id: string;
  may_answer: readonly string[];
}

type NamedPerson = Omit<Person, 'memberships'> & { memberships: Membership[] };

/** How many of the runs the person is told of. A caller is told of their own runs, and one whom the agent names of all. */
export function runsToTell(person: NamedPerson, { runs_of, team_id, may_answer }: AboutRuns): number {
  if (!person.active) return 0;
  if (!isAnswerer(person, team_id, may_answer)) return runs_of.get(person.id) ?? 0;
  return [...runs_of.values()].reduce((sum, runs) => sum + runs, 0);
}

/** runsToTell() above zero as a condition on `app_user u`. */
export function whereToldOfRuns({ runs_of, team_id, may_answer }: AboutRuns): Sql {
  const isOfTeam = sql`m.team_id = ${team_id} or 'team:' || t.name = any(${may_answer})`;
  const isNamed = sql`u.role = 'admin' or 'user:' || u.email = any(${may_answer})
    or exists (select from membership m join team t on t.id = m.team_id where m.user_id = u.id and (${isOfTeam}))`;
  return sql`(u.active and (u.id = any(${[...runs_of.keys()]}::uuid[]) or (${may_answer}::text[] <> '{}' and (${isNamed}))))`;
}

/** Which call of a tool waits, by immutable ids. */
export interface AboutCall {
  /** The team of the server. */
  team_id: string;
  /** The end caller, who does not decide where `by_other` says so. */
  caller_id: string;
  by_other: boolean;
}

/** Who may decide, as agents/tools/approvals/may-decide.ts says; whether they may read the server is asked when they read it. */
export function isToldOfCall(person: Omit<Person, 'email'>, { team_id, caller_id, by_other }: AboutCall): boolean {
  return isAdminOf(person, team_id) && !(by_other && person.id === caller_id);
}

export interface Subject {
  /** Null for a notification about a request, or about runs or calls that wait. */
  account: string | null;
  /** The team of the account; null for the organisation. */
  team_id: string | null;
  /** The account, or a waiting run, is of the recipient in person. */
  is_own: boolean;
  /** The asset of the request, the agent of the account or of the runs, or the server of the calls. */
  asset_id: string | null;
}

/** The costs of an agent need `write` on it. Those of a team or a key are for its admins. */
export function isReadable(
  caller: UserCaller,
  { account, team_id, is_own, asset_id }: Subject,
  asset: AssetRecord | undefined,
): boolean {
  if (is_own) return true;
  if (account === null) return asset !== undefined && canRead(caller, asset);
  if (asset_id !== null) return asset !== undefined && decide(caller, 'asset.write', asset).allowed;
  return isAdminOf({ ...caller, active: true }, team_id ?? undefined);
}

/**
 * The notification as its user may read it now; undefined when the asset is gone or unreadable. Admins get its text while they may read the
 * text of the request. The submitter always gets the reason of the decision. whereCanRead() narrows a list to the candidates.
 */
export function readablePart<Row extends Subject & { kind: NotificationKind; words: string }>(
  caller: UserCaller,
  row: Row,
  asset: AssetRecord | undefined,
): Row | undefined {
  if (!isReadable(caller, row, asset)) return undefined;
  const inside =
    asset === undefined || !kindsForAdmins.includes(row.kind) || readsWords(caller, { submitted_by: null }, asset);
  return inside ? row : { ...row, words: '' };
}
