// The part of PEP 440 that shows, without a resolver, that a range ends below a floor or leaves out a version.

interface Specifier {
  operator: string;
  version: string;
}

/** True when no version at or above `floor` can meet all of these. An unreadable part decides nothing. */
export function endsBelow(specifiers: readonly Specifier[], floor: string): boolean {
  const lowest = releaseOf(floor);
  return lowest !== undefined && specifiers.some((specifier) => closesBelow(specifier, lowest));
}

function closesBelow({ operator, version }: Specifier, floor: readonly number[]): boolean {
  const isPrefix = version.endsWith('.*');
  const parts = releaseOf(isPrefix ? version.slice(0, -2) : version);
  if (parts === undefined) return false;
  switch (operator) {
    case '<':
      return compareVersions(parts, floor) <= 0;
    case '<=':
    case '===':
      return compareVersions(parts, floor) < 0;
    case '==':
      return isPrefix ? compareVersions(nextRelease(parts), floor) <= 0 : compareVersions(parts, floor) < 0;
    case '~=':
      return compareVersions(nextRelease(parts.slice(0, -1)), floor) <= 0;
    default:
      return false;
  }
}

/** `1.10.0rc1` → [1, 10, 0]. An epoch puts a version above all versions without one; our floors have none. */
export function releaseOf(version: string): number[] | undefined {
  const match = /^v?(\d+(?:\.\d+)*)/i.exec(version);
  return match?.[1] === undefined || version.includes('!') ? undefined : match[1].split('.').map(Number);
}

/** The first version after all versions with this prefix. */
function nextRelease(parts: readonly number[]): number[] {
  const last = parts.at(-1);
  return last === undefined ? [Infinity] : [...parts.slice(0, -1), last + 1];
}

function compareVersions(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** True when this version surely meets one of these not. Only plain releases decide. */
export function isOutside(specifiers: readonly Specifier[], version: string): boolean {
  const release = isPlain(version) ? releaseOf(version) : undefined;
  if (release === undefined) return false;
  return specifiers.some((specifier) => isPlain(bare(specifier.version)) && !isMet(release, specifier));
}

const isPlain = (version: string): boolean => /^\d+(?:\.\d+)*$/.test(version);

/** `1.2.*` → `1.2` */
export const bare = (version: string) => version.replace(/\.\*$/, '');

/** Does a plain release meet this specifier? A prefix such as `1.2.*` stands for its releases. */
export function isMet(release: readonly number[], { operator, version }: Specifier): boolean {
  const given = releaseOf(bare(version)) ?? [];
  const order = compareVersions(release, given);
  const isPrefix = version.endsWith('.*');
  const startsWith = isPrefix ? given.every((part, index) => release[index] === part) : order === 0;
  switch (operator) {
    case '>=':
      return order >= 0;
    case '>':
      return order > 0;
    case '<=':
      return order <= 0;
    case '<':
      return order < 0;
    case '!=':
      return !startsWith;
    case '~=':
      return order >= 0 && compareVersions(release, nextRelease(given.slice(0, -1))) < 0;
    default:
      return startsWith;
  }
}
