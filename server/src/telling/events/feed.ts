// The changes of this process's database, for all its streams. One query of each kind serves all readers, and only while somebody reads. The
// last changes are kept in order, so a reader that lost its connection continues. A reader that fell behind is told to ask for all again.
import { printRef } from '@gantry/contract/refs.ts';
import { randomUUID } from 'node:crypto';
import { poll_ms, recentHeads } from '../../governance/audit/recent-heads.ts';
import { isAway, type Database } from '../../ground/database/database.ts';
import { activeDeploys, type ActiveDeploy } from '../../agents/deploy/deployments/list-deploys.ts';
import { notifiedSince } from '../notifications/notified-since.ts';
import type { CatchUp } from '../notifications/tell.ts';
import { changesOf, type Change } from './changes-of-entries.ts';
import * as store from './store.ts';

export interface FeedParts {
  db: Database;
  catchUp: CatchUp;
  onError: (error: unknown) => void;
}

/** `<feed>.<number of the last change>` */
export type Position = string;

export interface Feed {
  /** Looks for changes, unless another reader has just looked. */
  refresh(): Promise<void>;
  /** The end of the feed. */
  position(): Position;
  /** The later changes. Undefined when they are not kept, or the position is of another feed. */
  after(position: Position): Change[] | undefined;
}

const max_kept = 5000;

/** The state of the last look. */
interface Seen {
  seq: number;
  notified_up_to: number;
  deploys: ReadonlyMap<string, ActiveDeploy>;
}

export function openFeed(parts: FeedParts): Feed {
  let name = randomUUID();
  let kept: Change[] = [];
  let total = 0;
  let seen: Seen | undefined;
  let looking: { at: number; done: Promise<void>; ended: boolean } | undefined;

  async function look(): Promise<void> {
    const found = await findChanges(parts, seen);
    seen = found.seen;
    if (found.changes === undefined) {
      name = randomUUID();
      kept = [];
      return;
    }
    total += found.changes.length;
    kept = [...kept, ...found.changes].slice(-max_kept);
  }

  return {
    refresh: async () => {
      if (looking === undefined || (looking.ended && performance.now() - looking.at > poll_ms / 2)) {
        const next = { at: performance.now(), done: Promise.resolve(), ended: false };
        next.done = look().finally(() => (next.ended = true));
        looking = next;
      }
      await looking.done;
    },
    position: () => `${name}.${total}`,
    after: (position) => {
      const [of_feed, number = ''] = position.split('.');
      const missed = total - Number(number);
      if (of_feed !== name || !/^\d{1,15}$/.test(number) || missed < 0 || missed > kept.length) return undefined;
      return missed === 0 ? [] : kept.slice(-missed);
    },
  };
}

// A reader that missed this many is told to ask for all again, so more are not read.
const max_entries = 1000;

/** Without `changes` there are too many, one cannot be read, or the log was rolled back. */
async function findChanges(
  { db, catchUp, onError }: FeedParts,
  seen: Seen | undefined,
): Promise<{ seen: Seen; changes?: Change[] }> {
  // The head is read before the deploys. So a deploy that begins and ends between two looks has its entry in the second one.
  const seq = (await recentHeads(db)).find(({ chain }) => chain === 'governance')?.seq ?? 0;
  if (seq !== seen?.seq) await catchUp();
  const [deploys, notified] = await Promise.all([activeDeploys(db), notifiedSince(db, seen?.notified_up_to)]);
  const now = { seq, notified_up_to: notified.up_to, deploys: new Map(deploys.map((one) => [one.run_id, one])) };
  if (seen === undefined || seq < seen.seq || seq > seen.seq + max_entries) return { seen: now };
  const entries = seq === seen.seq ? [] : await store.entriesAfter(db, seen.seq, seq);
  const of_entries = await changesOf(db, entries).catch((error: unknown) => {
    // Read again, the same entries would fail again, and end every stream. All readers ask for all instead.
    if (isAway(error)) throw error;
    onError(error);
  });
  if (of_entries === undefined) return { seen: now };
  return {
    seen: now,
    changes: [
      ...of_entries,
      ...changedDeploys(seen.deploys, now.deploys),
      ...notified.notifications.map(({ id, user_id }): Change => ({
        kind: 'notification',
        id,
        about: { rule: 'notification', user_id },
      })),
    ],
  };
}

/** The deploys that began, changed their state, or ended. */
function changedDeploys(before: Seen['deploys'], now: Seen['deploys']): Change[] {
  const changed = [...now.values()].filter(({ run_id, state }) => before.get(run_id)?.state !== state);
  const ended = [...before.values()].filter(({ run_id }) => !now.has(run_id));
  return [...changed, ...ended].map(({ run_id, agent, agent_id }) => ({
    kind: 'deployment',
    id: run_id,
    name: printRef({ kind: 'agent', name: agent }),
    about: { rule: 'asset', asset_id: agent_id },
  }));
}
