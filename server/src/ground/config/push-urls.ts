// The form of AUDIT_PUSH_URL.

export const push_url_forms =
  'must be https://…, http:// on this machine, or syslog+tls://, syslog+tcp:// or syslog+udp:// with a host and without a user. Each URL appears once';

export function areDistinct(urls: readonly string[]): boolean {
  return new Set(urls.map((url) => url.replace(/\?.*$/, ''))).size === urls.length;
}

export function isPushUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.hostname === '' || url.username !== '' || url.password !== '' || url.hash !== '')
    return false;
  if (/^syslog\+(tls|tcp|udp):$/.test(url.protocol)) return url.pathname.length <= 1 && url.search === '';
  const here = url.hostname === 'localhost' || url.hostname === '127.0.0.1' || url.hostname === '[::1]';
  return url.protocol === 'https:' || (url.protocol === 'http:' && here);
}
