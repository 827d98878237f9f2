import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

const doorOf = (given: Record<string, string>) =>
  readConfig({ HOME: '/nowhere', ...given }, { settings_text: '' }).door;

test('without settings, agents call port 4490 on their network, and 4492 serves the containers of earlier releases', () => {
  expect(doorOf({})).toEqual({ port: 4490, url: undefined, host: undefined, urls: [], second_port: 4492, notices: [] });
});

test('the former names count, with a notice each', () => {
  const given = { GATEWAY_PORT: '5000', GATEWAY_URL: 'https://in.example/', SUBAGENTS_URL: 'https://in.example/' };
  expect(doorOf(given)).toEqual({
    port: 5000,
    url: 'https://in.example',
    urls: ['https://in.example/', 'https://in.example/'],
    second_port: 4492,
    notices: [
      'GATEWAY_PORT is now called DOOR_PORT.',
      'GATEWAY_URL is now called DOOR_URL. Agents call models and subagents there, so it must lead to DOOR_PORT.',
      'SUBAGENTS_URL is now called DOOR_URL. Agents call models and subagents there, so it must lead to DOOR_PORT.',
    ],
  });
});

test('the new names win, and containers with limits still reach the former address', () => {
  const given = {
    DOOR_PORT: '6000',
    DOOR_URL: 'https://door.example',
    GATEWAY_PORT: '5000',
    GATEWAY_URL: 'https://in.example',
  };
  expect(doorOf(given)).toMatchObject({
    port: 6000,
    url: 'https://door.example',
    urls: ['https://door.example', 'https://in.example'],
    notices: [
      'GATEWAY_PORT has no effect, because DOOR_PORT is set. Remove it.',
      'GATEWAY_URL has no effect, because DOOR_URL is set. Remove it.',
    ],
  });
});

test('two addresses that differ, and one port for two listeners, are refused with the next step', () => {
  const two = { GATEWAY_URL: 'https://models.example', SUBAGENTS_URL: 'https://agents.example' };
  expect(() => doorOf(two)).toThrow('Set DOOR_URL to an address that leads to DOOR_PORT');
  expect(doorOf({ ...two, DOOR_URL: 'https://door.example' }).url).toBe('https://door.example');
  expect(() => doorOf({ DOOR_PORT: '4492' })).toThrow('SUBAGENTS_PORT is the port of DOOR_PORT');
});

test('a door with TLS has a certificate, its key, its authority and its name; a process that only calls it needs the last two', () => {
  const caller = { DOOR_CA_FILE: '/ca.crt', DOOR_URL: 'https://door.example:4490' };
  const own = { DOOR_CERTIFICATE_FILE: '/door.crt', DOOR_KEY_FILE: '/door.key' };
  expect(doorOf(caller).tls).toEqual({ own: undefined, ca_file: '/ca.crt', servername: 'door.example' });
  expect(doorOf({ ...caller, ...own }).tls?.own).toEqual({ certificate_file: '/door.crt', key_file: '/door.key' });
  expect(() => doorOf({ ...caller, DOOR_KEY_FILE: '/door.key' })).toThrow('belong together');
  expect(() => doorOf({ ...own, DOOR_URL: caller.DOOR_URL })).toThrow('DOOR_CA_FILE is missing');
  expect(() => doorOf({ DOOR_CA_FILE: '/ca.crt' })).toThrow('DOOR_URL is missing');
});
