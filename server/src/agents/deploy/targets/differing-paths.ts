/**
 * Where two values differ, as paths for people: `containers.agent.env.HOME`. Items of a list that have a name are compared by it, whatever their
 * order. Without a value: it may be a secret that somebody has put there by hand.
 */
export function differingPaths(wanted: unknown, there: unknown, { ignores = () => false }: Comparing = {}): string[] {
  const walk = (one: unknown, other: unknown, path: string): string[] => {
    if (one === other || (isLeftOut(one) && isLeftOut(other))) return [];
    const [some, others] = [membersOf(one), membersOf(other)];
    if (some === undefined || others === undefined) return [path];
    return [...new Set([...some.keys(), ...others.keys()])].flatMap((name) => {
      const at = path === '' ? name : `${path}.${name}`;
      // An empty item of a list may say much: as a rule of a network policy it lets everybody in.
      const isItem = Array.isArray(one) || Array.isArray(other);
      return isItem && some.has(name) !== others.has(name) ? [at] : walk(some.get(name), others.get(name), at);
    });
  };
  const isLeftOut = (value: unknown) => value === undefined || value === null || ignores(value);
  return walk(wanted, there, '');
}

interface Comparing {
  /** As if it was missing, on both sides. */
  ignores?: (value: unknown) => boolean;
}

/** A missing object has no members, and neither has a missing list. Undefined for a value without members. */
function membersOf(value: unknown): Map<string, unknown> | undefined {
  if (value === undefined || value === null) return new Map();
  if (typeof value !== 'object') return undefined;
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  const names = value.map(nameOf);
  const areNamed = names.every((name) => name !== undefined) && new Set(names).size === names.length;
  return new Map(value.map((item: unknown, index) => [(areNamed ? names[index] : undefined) ?? String(index), item]));
}

const nameOf = (item: unknown): string | undefined =>
  typeof item === 'object' && item !== null && 'name' in item && typeof item.name === 'string' ? item.name : undefined;

const most_named = 5;

export function saidPaths(paths: readonly string[]): string {
  const said = paths.slice(0, most_named).map((path) => path.slice(0, 200));
  const more = paths.length - said.length;
  return `not as described: ${said.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

/** What is there, for vendors that fill fields nobody asked for: the members that were asked for, and every item of a list. */
export function asFarAs(wanted: unknown, there: unknown): unknown {
  if (Array.isArray(wanted) && Array.isArray(there))
    return there.map((item: unknown) => asFarAs(ofName(wanted, item), item));
  if (!isObject(wanted) || !isObject(there)) return there;
  return Object.fromEntries(Object.keys(wanted).map((name) => [name, asFarAs(wanted[name], there[name])]));
}

/** Items without a name are texts, or the only one of their list. */
const ofName = (items: readonly unknown[], of: unknown): unknown =>
  isObject(of) ? items.find((item) => isObject(item) && item['name'] === of['name']) : undefined;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
