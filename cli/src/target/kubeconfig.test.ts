import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readKubeconfig } from './kubeconfig.ts';

const data = (text: string) => Buffer.from(text).toString('base64');
const ca = '-----BEGIN CERTIFICATE-----\nof the cluster\n-----END CERTIFICATE-----\n';
const cluster = { server: 'https://k8s.example.com:6443', 'certificate-authority-data': data(ca) };

const text = (user: object, { of_cluster = {}, more = {} }: { of_cluster?: object; more?: object } = {}) =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'one', user: 'gantry', namespace: 'agents' } }],
    clusters: [{ name: 'one', cluster: { ...cluster, ...of_cluster } }],
    users: [{ name: 'gantry', user }],
    ...more,
  });

test('a token, or a client certificate, with address, authority and namespace', () => {
  const place = { address: cluster.server, ca, namespace: 'agents' };
  expect(readKubeconfig(text({ token: 'abc' }))).toEqual({ ...place, credential: { token: 'abc' } });
  const files = { 'client-certificate-data': data('cert'), 'client-key-data': data('key') };
  expect(readKubeconfig(text(files))).toEqual({ ...place, credential: { certificate: 'cert', key: 'key' } });
});

test.each([
  [
    { exec: { command: '/bin/sh', args: ['-c', 'touch /tmp/owned'] } },
    'exec for the user gantry: it would run a program',
  ],
  [{ token: 'abc', exec: { command: 'aws' } }, 'exec for the user gantry: it would run a program'],
  [{ 'auth-provider': { name: 'gcp' } }, 'auth-provider for the user gantry: it would run a program'],
  [{ tokenFile: '/etc/shadow' }, 'tokenFile for the user gantry: it is the path of another file'],
  [{ 'client-certificate': '/a', 'client-key': '/b' }, 'client-certificate for the user gantry: it is the path'],
  [{ username: 'ada', password: 'word' }, 'username for the user gantry: a target has no such field'],
  [{}, 'The user gantry has no token and no client certificate'],
])('T583: %j is refused', (user, why) => {
  expect(() => readKubeconfig(text(user))).toThrow(why);
});

test.each([
  [{ 'insecure-skip-tls-verify': true }, 'insecure-skip-tls-verify for the cluster one: anybody on the way'],
  [{ 'certificate-authority': '/etc/ca.pem' }, 'certificate-authority for the cluster one: it is the path'],
  [{ 'proxy-url': 'http://evil.example.com' }, 'proxy-url for the cluster one'],
  [{ 'tls-server-name': 'other.example.com' }, 'tls-server-name for the cluster one'],
])('a cluster with %j is refused', (of_cluster, why) => {
  expect(() => readKubeconfig(text({ token: 'abc' }, { of_cluster }))).toThrow(why);
});

test('another context is named, and one that is missing is refused with those that there are', () => {
  const more = {
    contexts: [
      { name: 'here', context: { cluster: 'one', user: 'gantry' } },
      { name: 'there', context: { cluster: 'two', user: 'gantry' } },
    ],
    clusters: [
      { name: 'one', cluster },
      { name: 'two', cluster: { ...cluster, server: 'https://other.example.com' } },
    ],
  };
  expect(readKubeconfig(text({ token: 'abc' }, { more }), 'there')).toMatchObject({
    address: 'https://other.example.com',
  });
  expect(() => readKubeconfig(text({ token: 'abc' }, { more }), 'nowhere')).toThrow(
    'no context "nowhere"; it has: here, there',
  );
});

test('a text that is no kubeconfig is refused without its content', () => {
  for (const other of ['token: [unclosed secret', 'a: &a [1]\nb: *a\n', '"secret"', 'secret'])
    expect(() => readKubeconfig(other)).toThrow(/^(?!.*secret).*no kubeconfig/s);
});
