import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef, type RefObject } from 'react';

/** For a row of tabs that is wider than a phone: the active one is in view. */
export function useActiveTabInView(): RefObject<HTMLElement | null> {
  const tabs = useRef<HTMLElement>(null);
  const shown = useRef<string>(undefined);
  const { href } = useLocation();
  useEffect(() => {
    // Between two addresses the reader may scroll the row.
    if (shown.current === href) return;
    shown.current = href;
    const row = tabs.current;
    const active = row?.querySelector<HTMLElement>('[aria-current=page]');
    // The page itself stays where it is scrolled to.
    if (row && active) row.scrollLeft = active.offsetLeft - (row.clientWidth - active.offsetWidth) / 2;
  }, [href]);
  return tabs;
}
