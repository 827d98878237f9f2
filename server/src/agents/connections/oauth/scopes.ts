// Scopes of RFC 6749, section 3.3, as a server writes them.

const most = 50;

/** Those that are scopes, each once, up to a limit. */
export function readScopes(...given: readonly string[]): string[] {
  const scopes = given.filter((one) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(one));
  return [...new Set(scopes)].slice(0, most);
}
