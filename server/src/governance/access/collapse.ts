const collapse_ms = 60_000;
const max_remembered = 10_000;

/** True for the first event of a kind within a minute, so that a loop does not fill the log. */
export function firstInAMinute(): (kind: string) => boolean {
  const seen = new Map<string, number>();
  return (kind) => {
    if (Date.now() - (seen.get(kind) ?? 0) < collapse_ms) return false;
    if (seen.size >= max_remembered) seen.clear();
    seen.set(kind, Date.now());
    return true;
  };
}
