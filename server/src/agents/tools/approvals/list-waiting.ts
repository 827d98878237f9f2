import type { Page } from '@gantry/contract/endpoint.ts';
import type { WaitingCall } from '@gantry/contract/assets/tool-calls.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../../governance/access/caller.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { Envelope } from '../../../ground/envelope/envelope.ts';
import type { Cursors } from '../../../governance/http/cursor.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import * as store from './approval-store.ts';
import { openArguments } from './arguments.ts';

interface ListParts {
  db: Reader;
  envelope: Envelope;
  cursors: Cursors;
}

/** Those that the caller may decide, the longest waiting first. Throws `bad_cursor` or `memory_damaged`. */
export async function listWaitingCalls(
  { db, envelope, cursors }: ListParts,
  caller: Caller,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Page<WaitingCall>> {
  const user = signedIn(caller);
  authorize(user, 'inbox.read', theOrg);
  const scope = ['waiting_calls', user.id];
  const after = cursors.read(cursor, scope) as [string, string] | undefined;
  const rows =
    user.kind === 'user'
      ? await store.waitingFor(db, { user_id: user.id, team_ids: teamsOf(user), after, limit: limit + 1 })
      : [];
  const shown = rows.slice(0, limit);
  const printed = await Promise.all(shown.map(async (row) => await printWaiting(envelope, row, user)));
  const by_id = new Map(printed.map((one) => [one.id, one]));
  const key = ({ asked_at, id }: store.WaitingRow) => [asked_at, id];
  return cursors.page(rows, limit, scope, key, ({ id }) => by_id.get(id));
}

/** For a badge. */
export async function countWaitingCalls(db: Reader, user: SignedInCaller, most: number): Promise<number> {
  if (user.kind !== 'user') return 0;
  return await store.countFor(db, { user_id: user.id, team_ids: teamsOf(user), most });
}

export type CallToDecide = Omit<WaitingCall, 'arguments' | 'arguments_digest' | 'through' | 'wanted_by'>;

/** Of the servers of one team, or of all; the longest waiting first. */
export async function listCallsToDecide(
  db: Reader,
  user: SignedInCaller,
  { team_id, limit }: { team_id: string | undefined; limit: number },
): Promise<CallToDecide[]> {
  if (user.kind !== 'user') return [];
  const own = teamsOf(user);
  const team_ids = team_id === undefined ? own : own === undefined || own.includes(team_id) ? [team_id] : [];
  const rows = await store.waitingFor(db, { user_id: user.id, team_ids, limit });
  return rows.map(({ id, server, server_version, tool, agent, caller, caller_id, asked_at, expires_at }) => ({
    id,
    server: `${server}@${server_version}`,
    tool,
    agent,
    caller,
    is_own: caller_id === user.id,
    asked_at,
    expires_at,
  }));
}

export type WaitingCallRow = Pick<store.WaitingRow, 'id' | 'tool' | 'agent' | 'caller' | 'asked_at' | 'expires_at'>;

const most_told = 100;

/** Those of one server that the user may decide, without their arguments. */
export async function waitingCallsOf(db: Reader, user: SignedInCaller, server_id: string): Promise<WaitingCallRow[]> {
  if (user.kind !== 'user') return [];
  return await store.waitingFor(db, { user_id: user.id, team_ids: teamsOf(user), server_id, limit: most_told });
}

/** Undefined for a call that does not wait any more. */
export async function callToTell(
  db: Reader,
  id: string,
): Promise<
  | { call_id: string; server: { id: string; ref: string }; team_id: string; caller_id: string; by_other: boolean }
  | undefined
> {
  const row = await store.find(db, id);
  if (row?.state !== 'waiting') return undefined;
  const { server_id, server, team_id, caller_id, by_other } = row;
  return { call_id: id, server: { id: server_id, ref: server }, team_id, caller_id, by_other };
}

/** Undefined: of all. The rights are those of `tool_call.decide`. */
function teamsOf({ role, memberships }: SignedInCaller): string[] | undefined {
  if (role === 'admin') return undefined;
  return memberships.filter((one) => one.role === 'admin').map(({ team_id }) => team_id);
}

export async function printWaiting(
  envelope: Envelope,
  row: store.WaitingRow,
  { id: user_id }: SignedInCaller,
): Promise<WaitingCall> {
  const { id, server, server_version, tool, arguments_digest, agent, through, caller, wanted_by } = row;
  return {
    id,
    server: `${server}@${server_version}`,
    tool,
    // A call's arguments are JSON.
    arguments: (await openArguments(envelope, row)) as WaitingCall['arguments'],
    arguments_digest,
    agent,
    through,
    caller,
    is_own: row.caller_id === user_id,
    wanted_by,
    asked_at: row.asked_at,
    expires_at: row.expires_at,
  };
}
