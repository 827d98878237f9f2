import type { approvalFilters, approvalStates, closedReasons } from '@gantry/contract/agents/approvals.ts';
import type { Covered } from '@gantry/contract/agents/target-plan.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import { whereCanRead } from '../../governance/access/decide.ts';
import type { GovernedTx } from '../../governance/access/change.ts';
import { countRows } from '../../ground/database/count-rows.ts';
import type { Reader } from '../../ground/database/database.ts';
import { allOf, beginsWith, sql, type Sql } from '../../ground/database/sql.ts';
import { whereWaitingFor, whereReadsWords } from './policy.ts';

export type Status = (typeof approvalStates)[number];
export type ClosedReason = (typeof closedReasons)[number];

export interface ApprovalRow {
  id: string;
  asset_id: string;
  version_id: string;
  version: string;
  digest: string;
  target: string;
  message: string;
  status: Status;
  closed_reason: ClosedReason | null;
  reason: string | null;
  submitted_by: string;
  submitter: string;
  submitted_at: string;
  decided_by: string | null;
  decider: string | null;
  decided_at: string | null;
  /** When the service closes it undecided; null without an expiry, or if it is no longer pending. */
  expires_at: string | null;
  /** For a pending request, the number that is required now. */
  approvals_required: number;
  /** The address or the credential of its target is another one than at the request. */
  target_changed: boolean;
  /** The form of the deploy at the request (covers.ts). */
  covers: Covered | null;
}

/** The target is still the one of the request: same address, same credential. */
const targetStands = sql`r.target_digest is not distinct from target_digest(r.target)`;
const approvals_required = sql`coalesce(r.approvals_required, greatest(r.approvals_asked, o.approvals_required))`;
const columns = sql`r.id, r.asset_id, r.version_id, r.version, r.digest, r.target, r.message, r.status, r.closed_reason, r.reason,
  r.submitted_by, s.label as submitter, r.submitted_at, r.decided_by, d.email as decider, r.decided_at,
  case when r.status = 'pending' then r.submitted_at + make_interval(days => o.approval_expires_after_days) end as expires_at,
  ${approvals_required} as approvals_required, not (${targetStands}) as target_changed, r.covers`;
const tables = sql`approval r join identity s on s.id = r.submitted_by left join app_user d on d.id = r.decided_by cross join org o`;
// An overdue request counts as closed, even before the sweep updates its row.
const overdue = sql`r.status = 'pending' and exists (
  select from org where r.submitted_at + make_interval(days => approval_expires_after_days) <= clock_now())`;

export const approval = async (db: Reader, id: string) =>
  await db.one<ApprovalRow>(sql`select ${columns} from ${tables} where r.id = ${id}`);

export interface Content {
  version_id: string;
  digest: string;
  target: string;
}

const isFor = (target: string): Sql => sql`r.target = ${target} and ${targetStands}`;

/** The newest request for exactly this content and target in this state. */
export async function newest(
  db: Reader,
  { version_id, digest, target }: Content,
  status: Status,
): Promise<ApprovalRow | undefined> {
  return await db.one<ApprovalRow>(sql`
    select ${columns} from ${tables} where r.version_id = ${version_id} and r.digest = ${digest} and ${isFor(target)} and r.status = ${status}
    order by r.submitted_at desc, r.id limit 1`);
}

/** The newest request for exactly this content and target in any state. */
export async function newestOf(
  db: Reader,
  { asset_id, version_id, digest, target }: Content & { asset_id: string },
): Promise<ApprovalRow | undefined> {
  return await db.one<ApprovalRow>(sql`
    select ${columns} from ${tables} where r.asset_id = ${asset_id} and r.version_id = ${version_id} and r.digest = ${digest} and ${isFor(target)}
    order by r.submitted_at desc, r.id limit 1`);
}

/** The versions whose current content is approved for a target. */
export async function approvedOf(
  db: Reader,
  versions: readonly { id: string; digest: string }[],
): Promise<Set<string>> {
  const rows = await db.all<{ version_id: string }>(sql`
    select distinct r.version_id from approval r join unnest(${versions.map((version) => version.id)}::uuid[], ${versions.map((version) => version.digest)}::text[]) as v (id, digest)
    on r.version_id = v.id and r.digest = v.digest where r.status = 'approved' and ${targetStands}`);
  return new Set(rows.map((row) => row.version_id));
}

/** The previous request for the same asset and target. */
export async function previous(db: Reader, { id, asset_id, target, submitted_at }: ApprovalRow) {
  return await db.one<ApprovalRow>(sql`
    select ${columns} from ${tables} where r.asset_id = ${asset_id} and r.target = ${target}
      and (r.submitted_at, r.id) < (${submitted_at}::timestamptz, ${id}::uuid) order by r.submitted_at desc, r.id desc limit 1`);
}

/** The last approved other content of this asset. */
export async function lastApproved(db: Reader, { asset_id, digest }: ApprovalRow) {
  return await db.one<{ version: string; digest: string }>(sql`
    select version, digest from approval where asset_id = ${asset_id} and status = 'approved' and digest <> ${digest}
    order by decided_at desc, id limit 1`);
}

/** The newest approval of this content for this target. */
export async function approvalOfContent(
  db: Reader,
  { asset_id, digest, target }: Pick<ApprovalRow, 'asset_id' | 'digest' | 'target'>,
): Promise<ApprovalRow | undefined> {
  return await db.one<ApprovalRow>(sql`
    select ${columns} from ${tables} where r.asset_id = ${asset_id} and r.digest = ${digest} and ${isFor(target)} and r.status = 'approved'
    order by r.submitted_at desc, r.id limit 1`);
}

/** Locks new requests for this asset until the transaction ends. It locks no row, because decisions and pushes lock rows in their own order. */
export async function holdSubmissions(tx: GovernedTx, asset_id: string): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${asset_id}, 15))`);
}

export interface NewApproval extends Content {
  asset_id: string;
  version: string;
  message: string;
  approvals_asked: number;
  submitted_by: string;
  covers: Covered | null;
}

export async function insert(tx: GovernedTx, request: NewApproval): Promise<string> {
  const [row] = await tx.write(
    'approval',
    sql`
    insert into approval (asset_id, version_id, version, digest, target, message, approvals_asked, submitted_by, target_digest, covers)
    values (${request.asset_id}, ${request.version_id}, ${request.version}, ${request.digest}, ${request.target}, ${request.message},
      ${request.approvals_asked}, ${request.submitted_by}, target_digest(${request.target}),
      ${request.covers === null ? null : JSON.stringify(request.covers)}::jsonb) returning id`,
  );
  if (row === undefined) throw new Error('the statement returned no row');
  return row.id;
}

/** Closes an asset's pending requests without a decision, and returns their ids. */
export async function closePending(tx: GovernedTx, asset_id: string, closed_reason: ClosedReason): Promise<string[]> {
  const rows = await tx.write(
    'approval',
    sql`
    update approval set status = 'rejected', closed_reason = ${closed_reason}, decided_at = clock_now() where asset_id = ${asset_id} and status = 'pending' returning id`,
  );
  return rows.map((row) => row.id);
}

/** Locks the decision until the transaction ends; undefined if the request is no longer pending. */
export async function hold(tx: GovernedTx, id: string): Promise<{ approvals_required: number } | undefined> {
  return await tx.one<{ approvals_required: number }>(sql`
    select greatest(r.approvals_asked, (select approvals_required from org)) as approvals_required
    from approval r where r.id = ${id} and r.status = 'pending' and not (${overdue}) for update of r`);
}

export interface Decision {
  status: 'approved' | 'rejected';
  reason: string;
  decided_by: string;
  /** The number at an approval; null for a rejection. */
  approvals_required: number | null;
}

/** False if somebody else decided first. */
export async function decide(tx: GovernedTx, id: string, decision: Decision): Promise<boolean> {
  const closed_reason = decision.status === 'rejected' ? 'rejected' : null;
  return await settle(tx, id, { from: 'pending', ...decision, closed_reason });
}

/** False if it was decided or closed meanwhile. */
export async function withdraw(tx: GovernedTx, id: string): Promise<boolean> {
  return await settle(tx, id, { from: 'pending', status: 'rejected', closed_reason: 'withdrawn', ...nobody });
}

/** False if it is no longer approved. */
export async function revoke(
  tx: GovernedTx,
  id: string,
  by: Pick<Decision, 'reason' | 'decided_by'>,
): Promise<boolean> {
  return await settle(tx, id, { from: 'approved', status: 'rejected', closed_reason: 'revoked', ...by });
}

/** Overdue requests, oldest first. */
export async function overdueRequests(
  db: Reader,
  { id, asset_id }: { id?: string | undefined; asset_id?: string | undefined },
): Promise<ApprovalRow[]> {
  const conditions = [overdue];
  if (id !== undefined) conditions.push(sql`r.id = ${id}`);
  if (asset_id !== undefined) conditions.push(sql`r.asset_id = ${asset_id}`);
  return await db.all<ApprovalRow>(
    sql`select ${columns} from ${tables} where ${allOf(conditions)} order by r.submitted_at limit 1000`,
  );
}

/** False if it was decided or closed meanwhile, or the setting changed. */
export async function expire(tx: GovernedTx, id: string): Promise<boolean> {
  const rows = await tx.write(
    'approval',
    sql`
    update approval r set status = 'rejected', closed_reason = 'expired', decided_at = clock_now() where id = ${id} and ${overdue} returning id`,
  );
  return rows.length === 1;
}

const nobody = { reason: null, decided_by: null };
type Settled = Pick<ApprovalRow, 'status' | 'closed_reason' | 'reason' | 'decided_by'>;

async function settle(
  tx: GovernedTx,
  id: string,
  settled: Settled & { from: Status; approvals_required?: number | null },
): Promise<boolean> {
  const { from, status, closed_reason, reason, decided_by, approvals_required = null } = settled;
  const rows = await tx.write(
    'approval',
    sql`
    update approval r set status = ${status}, closed_reason = ${closed_reason}, reason = ${reason}, decided_by = ${decided_by}, decided_at = clock_now(),
      approvals_required = coalesce(${approvals_required}, approvals_required)
    where id = ${id} and status = ${from} and not (${overdue}) returning id`,
  );
  return rows.length === 1;
}

export type StatusFilter = (typeof approvalFilters)[number];

/** With the team of its asset. */
export type OfTeamRow = ApprovalRow & { team_id: string };

export interface Filter {
  status?: StatusFilter | undefined;
  asset_id?: string | undefined;
  begins_with?: string | undefined;
}

export interface Listing extends Filter {
  after?: { submitted_at: string; id: string } | undefined;
  /** All when absent. */
  limit?: number;
}

/** Candidates of readsWords(), and with `waiting` of waitingFor() this caller; newest first. */
export async function listed(
  db: Reader,
  caller: SignedInCaller,
  { after, limit, ...filter }: Listing,
): Promise<OfTeamRow[]> {
  const conditions = conditionsOf(caller, filter);
  if (after !== undefined)
    conditions.push(sql`(r.submitted_at, r.id) < (${after.submitted_at}::timestamptz, ${after.id}::uuid)`);
  return await db.all<OfTeamRow>(sql`
    select ${columns}, a.team_id from ${tables} join asset a on a.id = r.asset_id left join version v on v.id = r.version_id
    where ${allOf(conditions)} order by r.submitted_at desc, r.id desc limit ${limit ?? null}`);
}

/** For each status but `waiting`. */
export const countListed = async (db: Reader, caller: SignedInCaller, filter: Filter): Promise<number> =>
  await countRows(
    db,
    sql`approval r join asset a on a.id = r.asset_id where ${allOf([...conditionsOf(caller, filter), whereCanRead(caller)])}`,
  );

function conditionsOf(caller: SignedInCaller, { status, asset_id, begins_with }: Filter): Sql[] {
  return [
    whereReadsWords(caller),
    ...(status === undefined ? [] : [whereStatus(caller, status)]),
    ...(asset_id === undefined ? [] : [sql`r.asset_id = ${asset_id}`]),
    ...(begins_with === undefined ? [] : [beginsWith(sql`r.id`, begins_with)]),
  ];
}

function whereStatus(caller: SignedInCaller, status: StatusFilter): Sql {
  if (status === 'waiting') return whereWaitingFor(caller);
  if (status === 'own') return sql`r.submitted_by = ${caller.id}`;
  return status === 'decided' ? sql`r.status <> 'pending'` : sql`r.status = ${status}`;
}

/** Candidates of waitingFor() this caller, the oldest first. */
export const decidable = async (db: Reader, caller: SignedInCaller, team_id?: string) =>
  await db.all<OfTeamRow>(sql`
    select ${columns}, a.team_id from ${tables} join asset a on a.id = r.asset_id join version v on v.id = r.version_id
    where ${whereWaitingFor(caller)} and ${ofTeam(team_id)} order by r.submitted_at, r.id`);

/** The caller's requests that somebody rejected in this time, without a later request for the same asset and target; the newest first. */
export async function rejectedOf(
  db: Reader,
  submitter_id: string,
  { team_id, days, limit }: Lately,
): Promise<ApprovalRow[]> {
  return await db.all<ApprovalRow>(sql`
    select ${columns} from ${tables} join asset a on a.id = r.asset_id
    where r.submitted_by = ${submitter_id} and r.closed_reason = 'rejected' and ${decidedIn(days)}
      and ${ofTeam(team_id)} and not exists (
        select from approval later
        where later.asset_id = r.asset_id and later.target = r.target and later.submitted_at > r.submitted_at)
    order by r.decided_at desc, r.id limit ${limit}`);
}

interface Lately {
  team_id: string | undefined;
  days: number;
  limit: number;
}

/** The caller's requests that are pending, or were approved in this time; the newest first. */
export async function ownOpen(
  db: Reader,
  submitter_id: string,
  { team_id, days, limit }: Lately,
): Promise<ApprovalRow[]> {
  return await db.all<ApprovalRow>(sql`
    select ${columns} from ${tables} join asset a on a.id = r.asset_id
    where r.submitted_by = ${submitter_id} and ${ofTeam(team_id)}
      and ((r.status = 'pending' and not (${overdue})) or (r.status = 'approved' and ${decidedIn(days)}))
    order by r.submitted_at desc, r.id limit ${limit}`);
}

/** Approvals of agents in this time whose version still has the approved content; the newest first. */
export async function approvedLately(
  db: Reader,
  teams: readonly string[] | 'all',
  { team_id, days, limit }: Lately,
): Promise<ApprovalRow[]> {
  return await db.all<ApprovalRow>(sql`
    select ${columns} from ${tables} join asset a on a.id = r.asset_id join version v on v.id = r.version_id and v.digest = r.digest
    where r.status = 'approved' and ${decidedIn(days)} and a.kind = 'agent' and ${ofTeam(team_id)}
      and ${teams === 'all' ? sql`true` : sql`a.team_id = any(${teams})`}
    order by r.decided_at desc, r.id limit ${limit}`);
}

const decidedIn = (days: number): Sql => sql`r.decided_at > clock_now() - make_interval(days => ${days})`;

const ofTeam = (team_id: string | undefined): Sql => (team_id === undefined ? sql`true` : sql`a.team_id = ${team_id}`);
