// The recipients of a notification, and the part of it that they can read later. Each rule has a condition that narrows to its candidates.
import { kindsForAdmins, type NotificationKind } from '@gantry/contract/notifications.ts';
import type { UserCaller } from '../access/caller.ts';
import { canRead } from '../access/decide.ts';
import { readsWords } from '../approvals/policy.ts';
import { sql, type Sql } from '../database/sql.ts';
import { isAdminOf, whereAdminOf, type Person } from '../principals/policy.ts';
import type { AssetRecord } from '../registry/find.ts';

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

/**
 * The notification as its user may read it now; undefined when the asset is gone or unreadable. Admins get its text while they may read the
 * text of the request. The submitter always gets the reason of the decision. whereCanRead() narrows a list to the candidates.
 */
export function readablePart<Row extends { kind: NotificationKind; words: string }>(
  caller: UserCaller,
  row: Row,
  asset: AssetRecord | undefined,
): Row | undefined {
  if (asset === undefined || !canRead(caller, asset)) return undefined;
  const inside = !kindsForAdmins.includes(row.kind) || readsWords(caller, { submitted_by: null }, asset);
  return inside ? row : { ...row, words: '' };
}
