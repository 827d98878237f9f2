import type { Span } from '../../rule.ts';
import { isIban } from './checksums.ts';
import { isDigit } from './match.ts';

/** Bank accounts of ISO 13616: the country's length and the check digits, with spaces or hyphens between any characters. */
export function findIbans(text: string): Span[] {
  return [...text.matchAll(begin)].flatMap(({ index: start, 0: head }) => {
    const length = lengths[head.slice(0, 2).toUpperCase()];
    if (length === undefined) return [];
    const compact = text
      .slice(start, start + 2 * length)
      .replaceAll(/[ -]/g, '')
      .slice(0, length);
    const end = endOf(text, start, length);
    if (end === undefined || !isIban(compact)) return [];
    return [{ start, end, type: 'IBAN' }];
  });
}

/** The end of `count` letters and digits with at most one space or hyphen between two of them. */
function endOf(text: string, start: number, count: number): number | undefined {
  let at = start;
  for (let read = 0; read < count; at++) {
    if (isAlphanumeric(text, at)) read++;
    else if (!isGap(text, at) || isGap(text, at - 1)) return undefined;
  }
  return isAlphanumeric(text, at) ? undefined : at;
}

const isGap = (text: string, at: number): boolean => text[at] === ' ' || text[at] === '-';

function isAlphanumeric(text: string, at: number): boolean {
  const code = text.charCodeAt(at) | 32;
  return (code >= 97 && code <= 122) || isDigit(text, at);
}

const begin = /(?<![A-Za-z0-9])[A-Za-z]{2}[ -]?\d[ -]?\d/g;

/** The SWIFT registry's lengths. */
const lengths: Readonly<Record<string, number>> = Object.fromEntries(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18' +
    ' FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24' +
    ' ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23' +
    ' ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);
