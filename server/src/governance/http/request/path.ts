import { Problem } from '@gantry/contract/problems.ts';

/** The names of the registry of MCP servers have a slash, which its clients encode. Both forms of such a path are the same request here. */
export function withPlainNames(path: string): string {
  return path.replace(/^(\/v0\.1\/servers\/[\w.-]{1,200})%2f/i, '$1/');
}

/**
 * Refuses paths that two readers could read differently: encoded separators, dots and control characters, empty segments, backslashes,
 * and absolute addresses. Takes the raw request target, because a URL object would normalise it.
 */
export function canonicalPath(target: string): void {
  const [path = ''] = target.split(/[?#]/);
  const ambiguous = /^[^/]|%(2f|5c|2e|00|0a|0d|25)|\\|\/\/|\/\.\.?(\/|$)|;/i.test(path);
  if (ambiguous) throw new Problem('malformed', { detail: 'The path is not in its plain form.' });
}
