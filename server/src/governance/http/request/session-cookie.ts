// The session of a browser: a cookie with the access token (decisions.md, "Browser sessions"). Promise: only a page of this service can use
// it, over https or on this machine. These checks do not read the token, so a refusal says nothing about the session.
import { Problem } from '@gantry/contract/problems.ts';
import type { Origin } from '../../access/caller.ts';
import { isFromLoopback } from './peer.ts';
import type { RequestHeaders } from './request-headers.ts';

/** The facts of a request that identify its caller. */
export interface Sender {
  path: string;
  headers: RequestHeaders;
  origin: Origin;
  /** The client used https, as a trusted proxy says. */
  is_https: boolean;
}

/** The session cookie of one request and of its answer. */
export interface SessionCookie {
  is_sent: boolean;
  /** The token in it. Throws the refusal of a cookie that this request must not use. */
  read(): string;
  /** Throws unless a page of this service asks, over https or on this machine. */
  requireOwnPage(): void;
  set(token: string, lifetime_seconds: number): void;
  clear(): void;
  /** The header of the answer, after `set` or `clear`. */
  headers: Record<string, string>;
}

export type SessionCookies = (sender: Sender) => SessionCookie;

/** Several services on one host differ by the installation in the name, because a browser's cookies ignore ports. */
export function sessionCookies({
  installation_id,
  base_url,
}: {
  installation_id: string;
  base_url: string | undefined;
}): SessionCookies {
  const plain_name = `gantry-${installation_id}`;
  return (sender) => {
    const { headers, is_https } = sender;
    // A cookie with this prefix comes from this host itself, over https (RFC 6265bis, section 4.1.3.2).
    const name = is_https ? `__Host-${plain_name}` : plain_name;
    const values = valuesOf(headers.get('cookie') ?? '', name);
    const requireOwnPage = () => {
      if (!is_https && !isFromLoopback(headers, sender.origin)) throw new Problem('https_required');
      if (!isOwnPage(sender, base_url)) throw new Problem('cross_site');
    };
    const answer: Record<string, string> = {};
    const send = (value: string, lifetime_seconds: number) => {
      const attributes = ['Path=/', `Max-Age=${lifetime_seconds}`, 'HttpOnly', 'SameSite=Strict'];
      answer['set-cookie'] = [`${name}=${value}`, ...attributes, ...(is_https ? ['Secure'] : [])].join('; ');
    };
    return {
      is_sent: values.length > 0,
      read: () => {
        if (headers.has('authorization'))
          throw new Problem('malformed', { detail: 'A request has a session cookie or a bearer token, not both.' });
        const [value = '', second] = values;
        if (second !== undefined)
          throw new Problem('malformed', {
            detail: 'The session cookie is given more than once: another service on this host has set one.',
            hint: 'Delete the cookies of this host in the browser, and sign in again.',
          });
        requireOwnPage();
        return value;
      },
      requireOwnPage,
      set: send,
      clear: () => send('', 0),
      headers: answer,
    };
  };
}

function valuesOf(header: string, name: string): string[] {
  return header.split(';').flatMap((pair) => {
    const [key = '', ...value] = pair.trim().split('=');
    return key === name ? [value.join('=')] : [];
  });
}

// Each of the two headers that is sent must name a page of this service. A browser sends one of them with every request of a page's script.
function isOwnPage({ headers, is_https }: Sender, base_url: string | undefined): boolean {
  const [site, page] = [headers.get('sec-fetch-site'), headers.get('origin')];
  if (site === null && page === null) return false;
  // No link opens an answer of the API.
  if (headers.get('sec-fetch-mode') === 'navigate') return false;
  const own = [`${is_https ? 'https' : 'http'}://${headers.get('host')}`, base_url ?? ''].map(originOf);
  return (site === null || site === 'same-origin') && (page === null || (page !== 'null' && own.includes(page)));
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
