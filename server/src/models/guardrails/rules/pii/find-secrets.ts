// Secrets and keys: prefixes that issuers publish for leak scanners, private keys, credentials in addresses, and values beside a word that
// names a secret.
import type { Span } from '../../rule.ts';

export function findSecrets(text: string): Span[] {
  return [...forms.flatMap((form) => all(text, form)), ...findJwts(text), ...findNamed(text), ...findPrivateKeys(text)];
}

const all = (text: string, form: RegExp): Span[] =>
  [...text.matchAll(form)].map(({ index, 0: { length } }) => ({ start: index, end: index + length, type: 'SECRET' }));

const forms = [
  // OpenAI, Anthropic, OpenRouter, Stripe, Langfuse and others.
  /(?<![A-Za-z0-9])(?:sk|rk)-(?=[\w-]{0,60}\d)[\w-]{20,}/g,
  /(?<![A-Za-z0-9])(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}/g,
  // GitHub, GitLab, npm, PyPI, Hugging Face.
  /gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,}|gl(?:pat|ptt|rt|dt|soat)-[\w-]{20,}|npm_[A-Za-z0-9]{36}|pypi-AgEI[\w-]{50,}|hf_[A-Za-z0-9]{34,}/g,
  // AWS, Google, Azure, DigitalOcean.
  /(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Z0-9])|AIza[\w-]{35}|GOCSPX-[\w-]{28}|ya29\.[\w-]{20,}|AccountKey=[A-Za-z0-9+/=]{40,}|do[opr]_v1_[a-f0-9]{64}/g,
  // Slack, Discord, Telegram, Twilio, SendGrid, Mailgun, Shopify.
  /xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{20,}|hooks\.slack\.com\/services\/[A-Z0-9]{6,}\/[A-Z0-9]{6,}\/\w{16,}/g,
  /(?<!\d)\d{8,10}:AA[\w-]{33}|(?<![A-Za-z0-9])SK[0-9a-f]{32}|SG\.[\w-]{22}\.[\w-]{43}|(?<![A-Za-z0-9])key-[0-9a-f]{32}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/g,
  // Groq, xAI, Replicate, Perplexity, LangSmith, NVIDIA, Databricks, Linear, Hashicorp, Doppler.
  /(?<![A-Za-z0-9])(?:gsk_\w{40,}|xai-\w{40,}|r8_\w{30,}|pplx-\w{40,}|lsv2_(?:pt|sk)_\w{30,}|nvapi-[\w-]{40,}|dapi[a-f0-9]{32}|lin_api_\w{30,}|hv[sb]\.[\w-]{24,}|dp\.pt\.\w{40,}|tvly-[\w-]{20,})/g,
  // Keys of this service.
  /g(?:sp|tk)_[\w-]{43}[0-9a-f]{8}/g,
];

/**
 * RFC 7519: three parts, the first two are JSON objects. A long part is read once, from its point. Each point is tried, so that the text before
 * does not decide which parts belong together.
 */
function findJwts(text: string): Span[] {
  return [...text.matchAll(secondPart)].flatMap(({ index, 1: tail = '' }) => {
    let start = index;
    while (start > 0 && /[\w-]/.test(text.charAt(start - 1))) start--;
    const head = text.slice(start, index).search(/eyJ|ewog/);
    return head < 0 ? [] : [{ start: start + head, end: index + tail.length, type: 'SECRET' }];
  });
}

const secondPart = /(?=(\.(?:eyJ|ewog)[\w-]{10,}(?:\.[\w-]*)?))/g;

function findNamed(text: string): Span[] {
  const named = [...text.matchAll(name)].flatMap(({ index, 0: { length } }) => {
    const start = index + length;
    const secret = (value.exec(text.slice(start, start + longest_value))?.[0] ?? '').replace(
      /(?<![.,:!?])[.,:!?]+$/,
      '',
    );
    return isSecret(secret) ? [{ start, end: start + secret.length, type: 'SECRET' }] : [];
  });
  const inAddress = [...text.matchAll(userInfo)].map(({ index, 0: { length }, 1: user = '' }) => ({
    start: index + user.length,
    end: index + length - 1,
    type: 'SECRET',
  }));
  return [...named, ...inAddress];
}

const name =
  /(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|api[ _-]?key|access[ _-]?key|private[ _-]?key|account[ _-]?key|credentials?|authorization|bearer)(?:[ _-]?(?:key|id|token))?["']?(?: {0,3}(?:=>|[:=]) {0,3}| is (?:now |set to )?| )(?:(?:bearer|basic|token) )?["'`]?/gi;
const value = /^[^\s"'`,;<>(){}[\]|&\u0001]{8,128}/;
const userInfo = /(:\/\/[^\s:/@"'<>]{1,64}:)[^\s:/@"'<>${}]{3,128}@/g;

/** Random enough, or a password with several kinds of characters. Names, paths and placeholders are neither. */
function isSecret(written: string): boolean {
  if (written.length < 8 || /^[\w.-]*[./]\w+$/.test(written) || /^\$|:\/\/|^\/|\*{3}|x{4}|\.\.\./i.test(written))
    return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9_.:/-]/].filter((kind) => kind.test(written)).length;
  return (
    kinds >= 2 && /\d/.test(written) && entropyOf(written) >= least_entropy_bits && !/^[\d.:/TZ+-]+$/.test(written)
  );
}

/** 2.75, less an error of rounding. */
const least_entropy_bits = 2.75 - 1e-9;

/** Bits per character (Shannon). */
function entropyOf(written: string): number {
  let sum = 0;
  for (let n = 0; n < written.length; n++) {
    const code = written.charCodeAt(n);
    const count = (counts[code] ?? 0) + 1;
    counts[code] = count;
    sum += timesLog2[count] ?? 0;
    sum -= timesLog2[count - 1] ?? 0;
  }
  for (let n = 0; n < written.length; n++) counts[written.charCodeAt(n)] = 0;
  return Math.log2(written.length) - sum / written.length;
}

/** How often each character is in a value; all zero between two values. */
const counts = new Uint8Array(0x1_0000);
const longest_value = 128;
const timesLog2 = Array.from({ length: longest_value + 1 }, (_, n) => (n === 0 ? 0 : n * Math.log2(n)));

/** RFC 7468. A key without its end is cut off, and its rest is secret too. */
function findPrivateKeys(text: string): Span[] {
  let stop = 0;
  return [...text.matchAll(beginKey)].map(({ index: start }) => {
    if (stop >= 0 && stop <= start) stop = text.indexOf('-----END', start);
    const end = stop < 0 ? text.length : stop + (endKey.exec(text.slice(stop, stop + 60))?.[0].length ?? 8);
    return { start, end, type: 'SECRET' };
  });
}

const beginKey = /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
const endKey = /^-----END [A-Z0-9 ]{0,40}-----/;

/** The place from which a private key is without its end; undefined when none is. */
export function openKeyAt(text: string): number | undefined {
  const start = text.lastIndexOf('-----BEGIN');
  if (start < 0) return undefined;
  const head = text.slice(start, start + 80);
  if (head.includes('-----', 10) && head.search(beginKey) !== 0) return undefined;
  const stop = text.indexOf('-----END', start);
  return stop >= 0 && (text.length > stop + 60 || endKey.test(text.slice(stop))) ? undefined : start;
}
