// Whether the browser session has ended under an open page. The page stays as it is until its reader signs in again. The tabs of a browser
// have one session, so they tell each other.
import { useSyncExternalStore } from 'react';

/** The service's words. */
let why: string | undefined;
let reader: string | undefined;
const changed = new EventTarget();
const tabs = new BroadcastChannel('gantry.session');
tabs.addEventListener('message', ({ data }: MessageEvent<Said>) => {
  if (typeof data.ended === 'string') return set(data.ended);
  // A page of somebody else shows them nothing.
  if (reader !== undefined && data.email !== reader) return location.assign('/');
  set(undefined);
});

type Said = { ended: string; email?: never } | { ended?: never; email: string };

export function sessionEnded(reason: string): void {
  // Before the service has said who reads, the sign-in page opens instead.
  if (why !== undefined || reader === undefined) return;
  set(reason);
  tabs.postMessage({ ended: reason } satisfies Said);
}

/** The service has said who reads this page: at its start, and after a sign-in. */
export function sessionOf(email: string): void {
  const isNew = reader === undefined || why !== undefined;
  reader = email;
  set(undefined);
  if (isNew) tabs.postMessage({ email } satisfies Said);
}

/** Why it has ended; undefined while it lasts. */
export function useSessionEnded(): string | undefined {
  return useSyncExternalStore(
    (tell) => {
      changed.addEventListener('change', tell);
      return () => changed.removeEventListener('change', tell);
    },
    () => why,
  );
}

/** At once while the session lasts. */
export async function untilSession(signal?: AbortSignal): Promise<void> {
  while (why !== undefined && signal?.aborted !== true)
    await new Promise<void>((resolve) => {
      changed.addEventListener('change', () => resolve(), { once: true });
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
}

function set(next: string | undefined): void {
  if (why === next) return;
  why = next;
  changed.dispatchEvent(new Event('change'));
}
