// No answer of a Gantry service, and what is there instead: nothing, a broken connection, another program, or a proxy.

/** `message` is a sentence with the address; `hint`, where there is one, is the step that fits this cause. */
export class Unreachable extends Error {
  readonly url: string;
  readonly hint: string | undefined;
  constructor(
    url: string,
    cause: unknown,
    { what = 'cannot be reached', hint }: { what?: string; hint?: string } = {},
  ) {
    super(`${url} ${what}`, { cause });
    this.name = 'Unreachable';
    this.url = url;
    this.hint = hint;
  }
}

const name_the_service = 'Name the service: --server or SERVICE_URL.';

/** Another program answers at this address. `saw` completes the sentence: `it sent a page (text/html)`. */
export function notGantry(url: string, saw: string, cause?: unknown): Unreachable {
  return new Unreachable(url, cause, {
    what: `answers, but it is no Gantry service: ${saw}`,
    hint: `Another program uses this address. ${name_the_service}`,
  });
}

/** A status without a reason: the service gives each refusal one. */
export function answeredByAnother(url: string, status: number): Unreachable {
  if (status < 502 || status > 504) return notGantry(url, `it answered ${status} without a reason`);
  return new Unreachable(url, undefined, {
    what: `answers ${status}: a proxy is there, and the service behind it does not answer it`,
    hint: 'Start the service, or check the address in the settings of the proxy.',
  });
}

/** The connection ended within an answer. */
export function brokenOff(url: string, cause: unknown): Unreachable {
  return new Unreachable(url, cause, { what: 'broke the connection within its answer', hint: 'Try again.' });
}

/** Why `fetch` failed. Its own message is always the same; the cause has the code of Node's TLS, of its HTTP parser or of undici. */
export function whyNoAnswer(url: string, error: unknown): Unreachable {
  const { name, code, message } = causeOf(error);
  if (message === 'unexpected redirect') return notGantry(url, 'it sends to another address', error);
  if (name === 'HTTPParserError' || code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW')
    return notGantry(url, 'it does not speak HTTP', error);
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || name === 'TimeoutError')
    return new Unreachable(url, error, { what: 'took the request and did not answer it in time' });
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
    return new Unreachable(url, error, {
      what: 'answers, but without TLS',
      hint: `Write its address with http:// when it is on this machine. ${name_the_service}`,
    });
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code))
    return new Unreachable(url, error, {
      what: `shows a certificate that this machine does not trust (${code})`,
      hint: 'Name the file of the authority that signed it: NODE_EXTRA_CA_CERTS.',
    });
  return new Unreachable(url, error);
}

function causeOf(error: unknown): { name: string; code: string; message: string } {
  const cause = error instanceof Error && error.name !== 'TimeoutError' ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return { name: '', code: '', message: '' };
  return { name: cause.name, code: 'code' in cause ? String(cause.code) : cause.name, message: cause.message };
}
