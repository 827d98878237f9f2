import type { RequestHeaders } from '../../governance/http/request/request-headers.ts';

/** The headers of a call whose client speaks another protocol: the agent gets plain JSON, under whichever name the client has sent it. */
export function jsonHeaders(headers: RequestHeaders): RequestHeaders {
  const get = (name: string) =>
    name === 'content-type' ? 'application/json' : name === 'accept' ? null : headers.get(name);
  return { get, has: (name) => get(name) !== null };
}
