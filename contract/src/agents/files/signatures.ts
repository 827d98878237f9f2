// How the content of a file begins. A type that nothing here knows is believed.

const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const jpeg = [0xff, 0xd8, 0xff];
const webp_at = 8;
/** A PDF may begin with other bytes (ISO 32000-2, annex I). */
const most_before_pdf = 1024;
/** Of base64: enough for a PDF. */
const most_letters = 1400;

type Test = (bytes: Uint8Array) => boolean;

const begins: Readonly<Record<string, Test>> = {
  'image/png': (bytes) => has(bytes, png),
  'image/jpeg': (bytes) => has(bytes, jpeg),
  'image/jpg': (bytes) => has(bytes, jpeg),
  'image/gif': (bytes) => has(bytes, lettersOf('GIF87a')) || has(bytes, lettersOf('GIF89a')),
  'image/webp': (bytes) => has(bytes, lettersOf('RIFF')) && has(bytes.subarray(webp_at), lettersOf('WEBP')),
  'application/pdf': (bytes) => indexOf(bytes, lettersOf('%PDF-')) !== -1,
};

/** False for a content that is not what its type says. */
export function isAsItsType(media_type: string, base64: string): boolean {
  const test = Object.hasOwn(begins, media_type) ? begins[media_type] : undefined;
  return test === undefined || test(firstBytes(base64));
}

function firstBytes(base64: string): Uint8Array {
  const letters = base64.slice(0, most_letters).replace(/=+$/, '');
  // One letter alone is less than a byte.
  const whole = letters.length % 4 === 1 ? letters.slice(0, -1) : letters;
  return Uint8Array.from(atob(whole), (letter) => letter.charCodeAt(0));
}

const lettersOf = (text: string): readonly number[] => Array.from(text, (letter) => letter.charCodeAt(0));

const has = (bytes: Uint8Array, start: readonly number[]) => start.every((byte, at) => bytes[at] === byte);

function indexOf(bytes: Uint8Array, part: readonly number[]): number {
  for (let at = 0; at < Math.min(bytes.length, most_before_pdf); at++) if (has(bytes.subarray(at), part)) return at;
  return -1;
}
