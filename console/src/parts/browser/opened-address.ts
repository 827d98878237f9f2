/** The address with which the browser has opened this document, as it was: the router reads a text of digits as a number. */
export function openedAddress(): URL {
  const [entry] = performance.getEntriesByType('navigation');
  return new URL(entry?.name ?? location.href);
}
