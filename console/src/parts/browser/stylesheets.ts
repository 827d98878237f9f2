// A page without its stylesheet cannot be used, and the browser asks for a failed one only once. It is asked for again, in growing waits.
import { growing } from './growing.ts';

/** For the start of a page. No part of it brings a stylesheet of its own later. */
export function keepStylesheets(): void {
  // The page's script waits for its stylesheets, so one without rules has failed.
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'))
    if (!hasRules(link)) askAgain(link, 0);
}

// Some browsers keep an empty sheet for a failed link, and some forbid to look into it.
function hasRules({ sheet }: HTMLLinkElement): boolean {
  try {
    return sheet !== null && sheet.cssRules.length > 0;
  } catch {
    return false;
  }
}

function askAgain(failed: HTMLLinkElement, tries: number): void {
  setTimeout(() => {
    // A failed link stays as it is; only a new one is loaded.
    const link = failed.cloneNode() as HTMLLinkElement;
    link.addEventListener('error', () => askAgain(link, tries + 1));
    failed.replaceWith(link);
  }, growing(tries));
}
