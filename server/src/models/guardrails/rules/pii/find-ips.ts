import { isIPv6 } from 'node:net';
import type { Span } from '../../rule.ts';

/** IPv4 and IPv6 addresses, without those of every machine (loopback, unspecified, masks). */
export function findIps(text: string): Span[] {
  const four = [...text.matchAll(ipv4)]
    .filter(
      ({ index, 0: address }) =>
        !isEverywhere.test(address) && !isVersion.test(text.slice(Math.max(0, index - longest_before), index)),
    )
    .map(({ index, 0: { length } }) => ({ start: index, end: index + length, type: 'IP' }));
  const six = [...text.matchAll(ipv6)].flatMap(({ index, 0: written }) => {
    const address = written.replace(/\.$|(?<!:):$/, '');
    const groups = address.split(':').filter((group) => group !== '');
    if (groups.length < 3 || !/\d/.test(address) || !isIPv6(address)) return [];
    return [{ start: index, end: index + address.length, type: 'IP' }];
  });
  return [...four, ...six];
}

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ipv4 = new RegExp(`(?<![\\w.])${octet}(?:\\.${octet}){3}(?![\\w]|\\.\\d)`, 'g');
const ipv6 = /(?<![\w:.])[0-9a-f:]{4,39}(?:[0-9.]{0,15})(?![\w:])/gi;
const isEverywhere = /^(?:0\.|127\.|255\.)/;
/** `version 1.2.3.4`, `version number "1.2.3.4"`, and products such as `Chrome/120.0.0.0`. A `server` or a `driver` has an address. */
const isVersion =
  /(?:\b(?:v|version|ver|release|firmware)(?: (?:number|no\.?|is|was))?[ :="'`(]{0,4}|(?-i:[A-Z][A-Za-z]{1,10}\/))$/i;
const longest_before = 24;
