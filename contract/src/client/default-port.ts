const usual = 4480;
const [first_of_others, others] = [14_480, 1000];

/**
 * The port of an installation unless PORT sets one. In its own folder (GANTRY_HOME, an absolute path) the port follows from that folder. So
 * client and service agree on it before anything runs.
 */
export function defaultPort(home: string | undefined): number {
  if (home === undefined) return usual;
  // FNV-1a spreads well over a thousand ports; any good hash would do.
  const hash = new TextEncoder().encode(home).reduce((at, byte) => Math.imul(at ^ byte, 0x01000193) >>> 0, 0x811c9dc5);
  return first_of_others + (hash % others);
}
