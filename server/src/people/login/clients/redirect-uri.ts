// Where the browser may be sent with a code: https, this machine, or a program that has a scheme of its own. Must never happen: a script as an address.
import { Problem } from '@gantry/contract/problems.ts';

/** Schemes without a dot that known editors have. RFC 8252 wants a dot, so that a scheme belongs to a name. */
const of_editors = new Set([
  'cursor:',
  'vscode:',
  'vscode-insiders:',
  'windsurf:',
  'zed:',
  'claude:',
  'warp:',
  'kiro:',
]);
const of_this_machine = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Throws `invalid_redirect_uri`. */
export function readRedirectUri(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !isTaken(url) || url.username !== '' || url.password !== '' || text.includes('#'))
    throw new Problem('invalid_redirect_uri', {
      detail: 'A redirect address is https, http on this machine, or a scheme of a program, and has no fragment.',
    });
  return url;
}

function isTaken({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:') return true;
  if (protocol === 'http:') return of_this_machine.has(hostname);
  return of_editors.has(protocol) || /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/.test(protocol);
}

/** Equal as text. A program on this machine takes any free port (RFC 8252, section 7.3). */
export function isRegistered(registered: readonly string[], asked: string): boolean {
  return registered.some((one) => one === asked || withoutPort(one) === withoutPort(asked));
}

/** For any other address undefined would equal undefined, so it stays whole. */
function withoutPort(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'http:' || !of_this_machine.has(url.hostname)) return text;
  url.port = '';
  return url.href;
}
