const usual = 4480;
const [first_of_others, others] = [14_480, 1000];

/**
 * Where an installation listens unless PORT says otherwise. One with a folder of its own (GANTRY_HOME, as an absolute path) has a port that
 * follows from that folder, so that the client and the service agree on it before anything runs.
 */
export function defaultPort(home: string | undefined): number {
  if (home === undefined) return usual;
  // FNV-1a: spreads well over a thousand, and any other good spread would do.
  const hash = new TextEncoder().encode(home).reduce((at, byte) => Math.imul(at ^ byte, 0x01000193) >>> 0, 0x811c9dc5);
  return first_of_others + (hash % others);
}
