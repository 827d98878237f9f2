import type { IncomingMessage } from 'node:http';

/** The headers of a request; names in lower case. */
export type RequestHeaders = Pick<Headers, 'get' | 'has'>;

export function requestHeaders({ headers }: IncomingMessage): RequestHeaders {
  const get = (name: string) => {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return Array.isArray(value) ? value.join(', ') : (value ?? null);
  };
  return { get, has: (name) => get(name) !== null };
}

/** The token of `Authorization: Bearer <token>`. */
export function bearerOf(headers: RequestHeaders): string | undefined {
  return /^Bearer (\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}

export function without(headers: RequestHeaders, left_out: string): RequestHeaders {
  return {
    get: (name) => (name === left_out ? null : headers.get(name)),
    has: (name) => name !== left_out && headers.has(name),
  };
}
