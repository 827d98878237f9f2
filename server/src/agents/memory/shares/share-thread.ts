// The owner of a thread lets others read it. Promises: a share names one person or one team, it ends, and the log has its making and its taking back.
import type { Page } from '@gantry/contract/endpoint.ts';
import { default_share_days, type ThreadShare } from '@gantry/contract/agents/thread-shares.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { noRequest, type Caller, type SignedInCaller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { decide } from '../../../governance/access/decide.ts';
import { findAssetById, type AssetRecord } from '../../../assets/registry/find.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { findTeam, findUser, settings } from '../../../people/principals/find.ts';
import { loadCaller } from '../../../people/principals/load-caller.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { ownAgent, ownThread } from '../threads/own-agent.ts';
import type { ThreadParts } from '../threads/threads.ts';
import * as store from './share-store.ts';
import type { SharePrincipal, ShareRow } from './share-store.ts';

interface OfThread {
  caller: Caller;
  name: string;
  thread: string;
}

interface With {
  principal_type: 'user' | 'team';
  /** An e-mail address or a team name. */
  principal_id: string;
}

/** Throws `not_found`, `invalid` for a principal that may not use the agent, and `conflict` for more days than the organisation allows. */
export async function shareThread(
  { db }: ThreadParts,
  { caller, name, thread, days, ...asked }: OfThread & With & { days?: number | undefined },
): Promise<ThreadShare> {
  const own = await ownAgent(db, caller, name);
  const { id: thread_id } = await ownThread(db, own, thread);
  const most_days = (await settings(db)).share_threads_days;
  refuseLong(days, most_days);
  const reader = await findReader(db, { user: signedIn(caller), agent: own.agent, asked });
  return await change(db, own.grant, 'thread.shared', async (tx, note) => {
    const of = { thread_id, days: days ?? Math.min(default_share_days, most_days), ...reader };
    const share = await store.find(tx, { id: await store.put(tx, of), thread_id });
    if (share === undefined) throw new Problem('not_found');
    note({ thread: thread_id, share: share.id, with: printWith(share), ends_at: share.ends_at });
    return printShare(share);
  });
}

export async function listShares(
  { db, cursors }: ThreadParts,
  { caller, name, thread, limit, cursor }: OfThread & { limit: number; cursor?: string | undefined },
): Promise<Page<ThreadShare>> {
  const { id: thread_id } = await ownThread(db, await ownAgent(db, caller, name), thread);
  const scope = ['thread_shares', thread_id];
  const before = cursors.read(cursor, scope) as [string, string] | undefined;
  const found = await store.listOfThread(db, { thread_id, before, limit: limit + 1 });
  return cursors.page(found, limit, scope, ({ created_at, id }) => [created_at, id], printShare);
}

/** Throws `not_found`, also for a share that has ended. */
export async function unshareThread(
  { db }: ThreadParts,
  { caller, name, thread, share: id }: OfThread & { share: string },
): Promise<void> {
  const own = await ownAgent(db, caller, name);
  const { id: thread_id } = await ownThread(db, own, thread);
  await change(db, own.grant, 'thread.unshared', async (tx, note) => {
    const share = await store.find(tx, { id, thread_id });
    if (share === undefined || !(await store.remove(tx, id))) throw new Problem('not_found');
    note({ thread: thread_id, share: id, with: printWith(share) });
  });
}

export const printWith = ({ principal_type, principal }: Pick<ShareRow, 'principal_type' | 'principal'>): string =>
  `${principal_type}:${principal}`;

function printShare({ id, principal_type, principal: principal_id, ends_at, created_at }: ShareRow): ThreadShare {
  return { id, principal_type, principal_id, ends_at, created_at };
}

function refuseLong(days: number | undefined, most_days: number): void {
  const hint = 'A platform admin changes it: svc org set share_threads_days 30';
  if (most_days === 0) throw new Problem('conflict', { detail: 'The organisation lets nobody share threads.', hint });
  if (days !== undefined && days > most_days)
    throw new Problem('conflict', { detail: `A thread is shared for at most ${most_days} days.`, hint });
}

/** A person without `use` is refused as one who does not exist, and a team of others as a missing one. */
async function findReader(
  db: Reader,
  { user, agent, asked }: { user: SignedInCaller; agent: AssetRecord; asked: With },
): Promise<SharePrincipal> {
  const { principal_type } = asked;
  const found =
    principal_type === 'user'
      ? await findPerson(db, agent, asked.principal_id.toLowerCase())
      : await findOwnTeam(db, { user, agent, name: asked.principal_id });
  if (found !== undefined && found !== user.id) return { principal_type, principal_id: found };
  const written = `${principal_type}:${asked.principal_id}`;
  throw new Problem('invalid', {
    detail:
      found === user.id
        ? 'The thread is yours already.'
        : principal_type === 'user'
          ? `${written} is nobody who may use ${agent.ref}.`
          : `${written} is neither a team of yours nor the team of ${agent.ref}.`,
    errors: [{ pointer: '/principal_id', message: 'must be somebody else who may use the agent' }],
  });
}

async function findPerson(db: Reader, { id }: AssetRecord, email: string): Promise<string | undefined> {
  const found = await findUser(db, email);
  const person = found && (await loadCaller(db, found.id, noRequest()));
  if (person === undefined) return undefined;
  const agent = await findAssetById(db, id, person);
  return agent !== undefined && decide(person, 'asset.invoke', agent).allowed ? person.id : undefined;
}

/** The rights of its members are asked at each look. */
async function findOwnTeam(
  db: Reader,
  { user, agent, name }: { user: SignedInCaller; agent: AssetRecord; name: string },
): Promise<string | undefined> {
  const team = await findTeam(db, name);
  if (team === undefined) return undefined;
  const isKnown = team.id === agent.team.id || user.memberships.some(({ team_id }) => team_id === team.id);
  return isKnown ? team.id : undefined;
}
