// A decision leads to the next request. The keys that decided the last one, typed again, must not decide one that nobody has read.
import { useEffect, useRef } from 'react';

// The next request can take a moment to load.
const jump_ms = 10_000;
const deciding = new Set(['a', 'r', 'Enter']);
const acts = ['wheel', 'pointerdown', 'keydown'] as const;

let decided_at = -Infinity;

export function noteDecision(): void {
  decided_at = performance.now();
}

/** Whether its reader has opened this request, or has done something on its page. Asking counts, so it is refused once. */
export function useSeen(): () => boolean {
  const isSeen = useRef(true);
  useEffect(() => {
    isSeen.current = performance.now() - decided_at > jump_ms;
    const act = (event: Event) => {
      if (!(event instanceof KeyboardEvent) || !deciding.has(event.key)) isSeen.current = true;
    };
    for (const each of acts) window.addEventListener(each, act, { capture: true });
    return () => {
      for (const each of acts) window.removeEventListener(each, act, { capture: true });
    };
  }, []);
  return () => {
    const was = isSeen.current;
    isSeen.current = true;
    return was;
  };
}
