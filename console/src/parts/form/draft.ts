// Typed work that outlives its page. It is kept in this tab, so that another person never finds it, and the browser asks before it is lost.
import { useState } from 'react';

const drafts = new Map<string, string>();

/** `kept` is what is stored; a draft that says the same is none. */
export function useDraft(key: string, kept: string): [string, (next: string) => void] {
  const [draft, show] = useState(() => drafts.get(key) ?? kept);
  const set = (next: string) => {
    if (next === kept) drafts.delete(key);
    else drafts.set(key, next);
    show(next);
  };
  return [draft, set];
}

window.addEventListener('beforeunload', (event) => {
  if (drafts.size > 0) event.preventDefault();
});
