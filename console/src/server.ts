// The one way to the service: the contract's typed client. The cookie of the browser session identifies the caller.
import { createClient, type CallOptions, type Send } from '@gantry/contract/client/client.ts';
import type { Answer, Page } from '@gantry/contract/endpoint.ts';
import type { EndpointName, Endpoints } from '@gantry/contract/endpoints.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { Unreachable } from '@gantry/contract/client/unreachable.ts';
import { infiniteQueryOptions, MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { activeTeam } from './parts/browser/active-team.ts';
import { growing } from './parts/browser/growing.ts';
import { sessionEnded } from './parts/browser/session.ts';

/** The answer, with the audit entries of the call, such as `governance/17`. */
export async function send<N extends EndpointName>(
  name: N,
  parts: Send<N>,
  options?: CallOptions,
): Promise<{ answer: Answer<Endpoints[N]>; entries: string[] }> {
  let entries: string[] = [];
  const client = createClient({
    base_url: location.origin,
    team: activeTeam,
    onAudited: (audited) => (entries = audited),
  });
  try {
    return { answer: await client.call(name, parts, options), entries };
  } catch (error) {
    if (error instanceof Problem && error.code === 'unauthenticated') sessionEnded(error.detail);
    throw error;
  }
}

/** The page of the service's present build; undefined while it does not answer. */
export async function readPage(): Promise<string | undefined> {
  try {
    const response = await fetch('/', { headers: { accept: 'text/html' }, cache: 'no-store' });
    return response.ok ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}

/** For `useQuery`. The key begins with the name of the endpoint, so a change refreshes all questions of its noun. */
export function ask<N extends EndpointName>(name: N, parts: Send<N>) {
  return queryOptions({
    queryKey: [name, parts] as const,
    queryFn: async ({ signal }) => (await send(name, parts, { signal })).answer,
  });
}

type ListName = { [N in EndpointName]: Endpoints[N]['reply'] extends { kind: 'list' } ? N : never }[EndpointName];

type ItemOf<N extends ListName> = Answer<Endpoints[N]> extends Page<infer Item> ? Item : never;

/** For `useInfiniteQuery`: the pages of a list. A total is asked for once. */
export function askList<N extends ListName>(name: N, parts: Send<N>) {
  return infiniteQueryOptions({
    queryKey: [name, 'list', parts] as const,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const { query } = parts as { query?: object };
      // The cursor is a parameter of every list. The client leaves undefined ones out.
      const next = pageParam !== undefined && { cursor: pageParam, total: undefined };
      const page = { ...parts, query: { ...query, ...next } } as unknown as Send<N>;
      return (await send(name, page, { signal })).answer as Page<ItemOf<N>>;
    },
    getNextPageParam: ({ next_cursor }: Page<ItemOf<N>>) => next_cursor,
  });
}

/** After an outage, and after a sign-in. */
export function refreshAll(): void {
  void queries.invalidateQueries();
}

/** Nouns are the first words of endpoint names: `approvals`, `agents`. */
export function refresh(nouns: readonly string[]): void {
  void queries.invalidateQueries({
    predicate: ({ queryKey: [name] }) => typeof name === 'string' && nouns.includes(name.split('.')[0] ?? ''),
  });
}

/** A refusal stays one; a service that is away comes back. */
export const waitsForService = (_failures: number, error: unknown): boolean => error instanceof Unreachable;

function onError(error: unknown): void {
  if (!(error instanceof Problem)) return;
  if (error.code === 'password_change_required') location.assign('/change-password');
}

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: waitsForService,
      retryDelay: growing,
      // Unreachable is seen by the failed request itself, also where the browser believes to be online.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});
