import { readSpecifiers } from '../requirements/parse-line.ts';
import { bare, isMet, releaseOf } from '../requirements/version-range.ts';

type Specifiers = NonNullable<ReturnType<typeof readSpecifiers>>;

/**
 * Does this Python meet a requires-python, such as `>=3.11,<4`? `3.11` means all its patch releases, `3.11.4` only itself. `||` separates
 * alternatives, as in Poetry. An unreadable range is not met.
 */
export function satisfies(python: string, specifier: string): boolean {
  const written = releaseOf(python);
  const alternatives = readPython(specifier);
  if (written === undefined || alternatives === undefined) return false;
  const releases = written.length > 2 ? [written] : patches.map((patch) => [...written, patch]);
  return alternatives.some((specifiers) => releases.some((release) => specifiers.every((one) => isMet(release, one))));
}

/** Undefined when a part is unreadable. */
export function readPython(specifier: string): Specifiers[] | undefined {
  const alternatives = specifier.split('||').map((part) => readSpecifiers(part.trim()));
  return alternatives.every(
    (part) => part !== undefined && part.every(({ version }) => releaseOf(bare(version)) !== undefined),
  )
    ? alternatives.filter((part) => part !== undefined)
    : undefined;
}

/** More than any minor version of Python has had. */
const patches = Array.from({ length: 50 }, (_, index) => index);
