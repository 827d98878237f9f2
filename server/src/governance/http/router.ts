// Paths of the contract → their routes. A literal segment wins over a parameter, in every order of insertion. A parameter can end with
// a verb: `{id}:cancel`. The longest ending wins.
import type { Method } from '@gantry/contract/endpoint.ts';

interface Routed<Route> {
  route: Route;
  params: Record<string, string>;
}

export interface Router<Route> {
  add(method: Method, path: string, route: Route): void;
  /** The route, or the methods of the path: an empty list for an unknown path. */
  find(method: string, path: string): Routed<Route> | Method[];
}

interface Node<Route> {
  /** The number of segments up to here. */
  depth: number;
  literals: Map<string, Node<Route>>;
  /** By what follows the parameter in its segment. */
  parameters: Map<string, Node<Route>>;
  routes: Map<string, { method: Method; route: Route; names: string[] }>;
}

export function router<Route>(): Router<Route> {
  const root = node<Route>(0);
  return {
    add(method, path, route) {
      const names: string[] = [];
      let at = root;
      for (const segment of segmentsOf(path)) {
        const [, name, ending = ''] = /^\{(\w+)\}(:\w+)?$/.exec(segment) ?? [];
        if (name !== undefined) names.push(name);
        at = name === undefined ? child(at, at.literals, segment) : child(at, at.parameters, ending);
      }
      at.routes.set(method, { method, route, names });
    },
    find(method, path) {
      const segments = segmentsOf(path).map(decode);
      const found = matches(root, segments);
      for (const { at, values } of found) {
        const known = at.routes.get(method);
        if (known === undefined) continue;
        const params = Object.fromEntries(known.names.map((name, index) => [name, values[index] ?? '']));
        return { route: known.route, params };
      }
      return [...new Set(found.flatMap(({ at }) => [...at.routes.values()].map((known) => known.method)))];
    },
  };
}

interface Match<Route> {
  at: Node<Route>;
  /** The values of the parameters so far. */
  values: readonly string[];
}

function matches<Route>(at: Node<Route>, segments: readonly string[], values: readonly string[] = []): Match<Route>[] {
  const segment = segments[at.depth];
  if (segment === undefined) return [{ at, values }];
  const known = at.literals.get(segment);
  const literally = known === undefined ? [] : matches(known, segments, values);
  const endings = [...at.parameters].filter(([ending]) => segment.length > ending.length && segment.endsWith(ending));
  const parameterised = endings
    .toSorted(([one], [other]) => other.length - one.length)
    .flatMap(([ending, next]) =>
      matches(next, segments, [...values, segment.slice(0, segment.length - ending.length)]),
    );
  return [...literally, ...parameterised];
}

function segmentsOf(path: string): string[] {
  return path.slice(1).split('/');
}

// A malformed escape stays unchanged.
function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function child<Route>(at: Node<Route>, among: Map<string, Node<Route>>, key: string): Node<Route> {
  const known = among.get(key) ?? node<Route>(at.depth + 1);
  among.set(key, known);
  return known;
}

function node<Route>(depth: number): Node<Route> {
  return { depth, literals: new Map(), parameters: new Map(), routes: new Map() };
}
