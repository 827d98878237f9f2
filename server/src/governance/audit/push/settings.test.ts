import { expect, test } from 'vitest';
import { readConfig } from '../../../ground/config/config.ts';
import { destinations } from './destination.ts';

const nowhere = { XDG_CONFIG_HOME: '/nowhere' };
const urls = (AUDIT_PUSH_URL: string) => readConfig({ ...nowhere, AUDIT_PUSH_URL }).audit_push.urls;

test('destinations are separated by commas, and shown without their possible secrets', () => {
  const given =
    'https://siem.internal/in?token=abc, syslog+tls://[fd00::1]:6514,syslog+udp://10.0.0.7,http://127.0.0.1:8080';
  expect(urls(given)).toHaveLength(4);
  expect(destinations({ urls: urls(given) }).map(({ name }) => name)).toEqual([
    'https://siem.internal/in',
    'syslog+tls://[fd00::1]:6514',
    'syslog+udp://10.0.0.7',
    'http://127.0.0.1:8080/',
  ]);
});

test.each([
  'http://siem.internal/in',
  'https://user:password@siem.internal/in',
  'syslog+tls://siem.internal/path',
  'syslog://siem.internal',
  'syslog+tls://',
  'siem.internal:514',
  'file:///var/log/audit',
])('%s is refused at start, with the name of the setting', (url) => {
  expect(() => urls(url)).toThrow('AUDIT_PUSH_URL');
});

test('a token goes to one HTTP destination, or the service does not start', () => {
  const with_token = (AUDIT_PUSH_URL: string) =>
    readConfig({ ...nowhere, AUDIT_PUSH_URL, AUDIT_PUSH_TOKEN: 'a token' }).audit_push.token;
  expect(with_token('https://siem.internal/in,syslog+tcp://127.0.0.1')).toBe('a token');
  for (const url of ['', 'syslog+tls://siem.internal', 'https://a.internal,https://b.internal'])
    expect(() => with_token(url)).toThrow('AUDIT_PUSH_TOKEN');
});

test('an unreadable file of certificate authorities is a fault in the settings', () => {
  expect(() => destinations({ urls: [], ca_file: '/nowhere/ca.pem' })).toThrow('AUDIT_PUSH_CA_FILE');
});

test('two URLs that differ only in their query are refused, because they would share a cursor', () => {
  expect(() => urls('https://siem.internal/in?a=1,https://siem.internal/in?a=2')).toThrow('AUDIT_PUSH_URL');
});
