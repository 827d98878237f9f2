// Whether the browser session has ended under an open page. The page stays as it is until its reader signs in again.
import { useSyncExternalStore } from 'react';

let hasEnded = false;
const changed = new EventTarget();

export function sessionEnded(): void {
  set(true);
}

export function sessionRenewed(): void {
  set(false);
}

export function useSessionEnded(): boolean {
  return useSyncExternalStore(
    (tell) => {
      changed.addEventListener('change', tell);
      return () => changed.removeEventListener('change', tell);
    },
    () => hasEnded,
  );
}

function set(value: boolean): void {
  if (hasEnded === value) return;
  hasEnded = value;
  changed.dispatchEvent(new Event('change'));
}
