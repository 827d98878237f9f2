// One stream of changes a browser: the tab that holds the lock reads it and passes it to the others. An event says only what changed;
// the pages ask again. Without the stream a page says since when.
import { Problem } from '@gantry/contract/problems.ts';
import { useSyncExternalStore } from 'react';
import { activeTeam } from './parts/browser/active-team.ts';
import { lookForBuild } from './parts/browser/later.ts';
import { untilSession } from './parts/browser/session.ts';
import { refresh, refreshAll, send } from './server.ts';

/** The nouns of the endpoints whose answers a change of this kind alters. */
const nounsOf: Readonly<Record<string, readonly string[]>> = {
  approval: ['approvals', 'agents', 'home', 'notifications', 'registry', 'orchestrations'],
  agent: ['agents', 'home', 'registry', 'traces', 'orchestrations'],
  asset: ['agents', 'home', 'registry', 'permissions', 'orchestrations', 'targets'],
  deployment: ['deployments', 'agents', 'home', 'registry', 'targets'],
  notification: ['notifications', 'home', 'inbox'],
  key: ['keys', 'budgets', 'costs', 'home'],
  budget: ['budgets', 'costs', 'home'],
  secret: ['secrets'],
  team: ['teams', 'users', 'auth', 'groups', 'grants'],
  user: ['users', 'teams', 'auth'],
  group: ['groups'],
  principal: ['principals'],
  webhook: ['webhooks'],
  org: ['org'],
};
const everything = [...new Set(Object.values(nounsOf).flat()), 'audit'];

interface Live {
  /** When the page last heard nothing any more; undefined while it hears. */
  lost_since: string | undefined;
}

const retry_ms = 1000;
let state: Live = { lost_since: undefined };
const changed = new EventTarget();

export function useLive(): Live {
  return useSyncExternalStore(
    (tell) => {
      changed.addEventListener('change', tell);
      return () => changed.removeEventListener('change', tell);
    },
    () => state,
  );
}

/** Runs until the page closes. */
export function startLive(): void {
  const tabs = new BroadcastChannel('gantry.live');
  tabs.addEventListener('message', ({ data }: MessageEvent<Said>) => hear(data));
  void navigator.locks.request('gantry.live', async () => {
    let last_event_id: string | undefined;
    for (;;) {
      let isSignedOut = false;
      try {
        const { answer } = await send('events.follow', {}, { ...(last_event_id !== undefined && { last_event_id }) });
        tell(tabs, 'heard');
        for await (const { id, data } of answer) {
          last_event_id = id ?? last_event_id;
          tell(tabs, data.kind);
        }
      } catch (error) {
        // An ended session is no lost connection: the page asks for the sign-in, and then hears again.
        isSignedOut = error instanceof Problem && error.code === 'unauthenticated';
      }
      if (isSignedOut) await untilSession();
      else tell(tabs, 'lost');
      await new Promise((resolve) => setTimeout(resolve, retry_ms));
    }
  });
  window.addEventListener('storage', () => activeTeam() !== undefined && refresh(everything));
}

/** A kind of the stream, or what happened to the stream itself. */
type Said = string;

function tell(tabs: BroadcastChannel, said: Said): void {
  tabs.postMessage(said);
  hear(said);
}

function hear(said: Said): void {
  if (said === 'lost') return set({ lost_since: state.lost_since ?? new Date().toISOString() });
  const wasLost = state.lost_since !== undefined;
  set({ lost_since: undefined });
  if (wasLost) void lookForBuild();
  if (wasLost || said === 'everything') return refreshAll();
  if (said !== 'heard') refresh(['audit', ...(nounsOf[said] ?? everything)]);
}

function set(next: Live): void {
  if (next.lost_since === state.lost_since) return;
  state = next;
  changed.dispatchEvent(new Event('change'));
}
