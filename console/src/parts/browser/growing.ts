const first_ms = 300;
const most_ms = 3000;

/** How long to wait after this many failures, so that a service that returns is not asked by all pages at once. */
export function growing(failures: number): number {
  return Math.min(first_ms * 2 ** failures, most_ms) * (0.75 + Math.random() / 2);
}
