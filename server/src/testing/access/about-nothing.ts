export interface Sent {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}

/** The id of no subject. */
export const nothing = '00000000-0000-4000-8000-000000000000';

/** The same request about a missing subject. */
export function aboutNothing({ params, query, body }: Sent): Sent {
  const instead: Record<string, string> = {
    id: nothing,
    run_id: nothing,
    task_id: nothing,
    name: 'nothing-at-all',
    agent: 'nothing-at-all',
    resource_id: 'nothing-at-all',
    scope_id: 'nothing-at-all',
    team: 'nothing-at-all',
    asset: 'agents/nothing-at-all@1.0.0',
    ref: 'agents/nothing-at-all@1.0.0',
  };
  const replaced = <T extends object>(from: T): T | T[] => (Array.isArray(from) ? from.map(inOne<T>) : inOne(from));
  const inOne = <T extends object>(from: T): T => ({
    ...from,
    ...Object.fromEntries(
      Object.entries(from).flatMap(([key, value]) =>
        // The name of a secret is the name of a variable.
        key in instead && !(key === 'name' && /^[A-Z]/.test(String(value))) ? [[key, instead[key]]] : [],
      ),
    ),
  });
  return {
    ...(params === undefined ? {} : { params: inOne(params) }),
    ...(query === undefined ? {} : { query: inOne(query) }),
    ...(typeof body === 'object' && body !== null && !(body instanceof Blob) ? { body: replaced(body) } : {}),
  };
}
