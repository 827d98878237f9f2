// Addresses of resources at `/mcp`, which has those of all servers: the name of the server and a plus stand before the address, as in `files+file:///a`. It is an
// address too, and no name of a server has a plus.
import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/client';

/** `of` is undefined where all addresses are of one server. */
export function outerUri(of: string | undefined, uri: string): string {
  return of === undefined ? uri : `${of}+${uri}`;
}

/** Undefined for an address without a server. */
export function innerUri(uri: string): { server: string; uri: string } | undefined {
  const [, server, inner] = /^([a-z][a-z0-9-]*)\+(.+)$/s.exec(uri) ?? [];
  return server === undefined || inner === undefined ? undefined : { server, uri: inner };
}

export function withOuterContents(of: string | undefined, result: ReadResourceResult): ReadResourceResult {
  return { ...result, contents: result.contents.map((one) => ({ ...one, uri: outerUri(of, one.uri) })) };
}

/** The links and resources in an answer, so that the agent can read them where it got them. */
export function withOuterUris<T extends CallToolResult['content'][number]>(of: string | undefined, part: T): T {
  if (part.type === 'resource_link') return { ...part, uri: outerUri(of, part.uri) };
  if (part.type === 'resource')
    return { ...part, resource: { ...part.resource, uri: outerUri(of, part.resource.uri) } };
  return part;
}
