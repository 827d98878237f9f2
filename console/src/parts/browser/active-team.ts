// The team that the caller acts for, as `svc context` has it in a terminal. It lasts in this browser.
import { useSyncExternalStore } from 'react';

const key = 'gantry.team';
const changed = new EventTarget();

export function activeTeam(): string | undefined {
  return localStorage.getItem(key) ?? undefined;
}

export function actFor(team: string | undefined): void {
  if (team === undefined) localStorage.removeItem(key);
  else localStorage.setItem(key, team);
  changed.dispatchEvent(new Event('change'));
}

export function useActiveTeam(): string | undefined {
  return useSyncExternalStore(subscribe, activeTeam);
}

function subscribe(tell: () => void): () => void {
  changed.addEventListener('change', tell);
  window.addEventListener('storage', tell);
  return () => {
    changed.removeEventListener('change', tell);
    window.removeEventListener('storage', tell);
  };
}
