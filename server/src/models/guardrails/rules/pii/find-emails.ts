import type { Span } from '../../rule.ts';

export function findEmails(text: string): Span[] {
  const found: Span[] = [];
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const local = localBefore(text, at);
    const domain = domainPart.exec(text.slice(at + 1, at + 254))?.[0] ?? '';
    if (
      local === '' ||
      domain === '' ||
      isFile.test(domain) ||
      (local === 'git' && text[at + 1 + domain.length] === ':')
    )
      continue;
    found.push({ start: at - local.length, end: at + 1 + domain.length, type: 'EMAIL' });
  }
  return found;
}

/** RFC 5321: a local part has at most 64 characters, a domain 253. */
function localBefore(text: string, at: number): string {
  let start = at;
  while (start > 0 && at - start < 64 && isLocal.test(text.charAt(start - 1))) start--;
  return text.slice(start, at).replace(/^[.%'-]+/, '');
}

const isLocal = /[\p{L}\p{N}._%+'-]/u;
const domainPart = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(?:\p{L}{2,24}|xn--[a-z0-9-]{2,58})/iu;

/** `icon@2x.png` is a file. */
const isFile = /\.(?:png|jpe?g|gif|svg|webp|ico|css|jsx?|tsx?|json|html?)$/i;
