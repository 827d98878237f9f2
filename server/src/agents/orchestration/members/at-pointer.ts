// JSON Pointer (RFC 6901) in values that callers and agents write.

/** Undefined where the value has no such place. */
export function atPointer(value: unknown, pointer: string): unknown {
  return segmentsOf(pointer).reduce<unknown>((at, segment) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, segment)) return undefined;
    return (at as Record<string, unknown>)[segment]; // an array has its indexes as names
  }, value);
}

/** An object that has the value at this place, and nothing else. */
export function placedAt(pointer: string, value: unknown): unknown {
  return segmentsOf(pointer).reduceRight<unknown>((inner, segment) => Object.fromEntries([[segment, inner]]), value);
}

/** The whole value has the empty pointer. */
export function segmentsOf(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}
