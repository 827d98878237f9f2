import { useRef, type KeyboardEvent, type RefObject } from 'react';
import { useShortcuts } from '../keys.ts';

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 };

/**
 * Up and down, or k and j, move between the rows' links; Enter follows one by itself. From the page they lead into its list, and so does the
 * arrow from the list's search.
 */
export function useMoves(): { body: RefObject<HTMLDivElement | null>; onKeyDown: (event: KeyboardEvent) => void } {
  const body = useRef<HTMLDivElement>(null);
  const enter = () => {
    const first = body.current === null ? undefined : linksOf(body.current)[0];
    const at = document.activeElement;
    const isElsewhere = at === null || (body.current?.contains(at) !== true && at.closest('[role=dialog]') === null);
    // A list in a part of a page leaves the arrows to the scrolling.
    if (first === undefined || !isElsewhere || first.closest('section') !== null) return false;
    focus(first);
    return undefined;
  };
  useShortcuts({ ArrowDown: enter, ArrowUp: enter, j: enter, k: enter }, { alsoFrom: 'input[type=search]' });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined || body.current === null) return;
    const links = linksOf(body.current);
    const next = links[links.findIndex((link) => link === document.activeElement) + step];
    // At the end the arrow scrolls, which loads more rows.
    if (next === undefined) return;
    event.preventDefault();
    focus(next);
  };
  return { body, onKeyDown };
}

function linksOf(body: HTMLElement): HTMLElement[] {
  return [...body.querySelectorAll<HTMLElement>('[role=row]')]
    .toSorted((a, b) => Number(a.ariaRowIndex) - Number(b.ariaRowIndex))
    .flatMap((row) => row.querySelector<HTMLElement>('a') ?? []);
}

function focus(link: HTMLElement): void {
  link.focus();
  link.scrollIntoView({ block: 'nearest' });
}
