// @ts-check
import { expect, test } from 'vitest';
import { acceptableImages, madeBaseImage } from './engine/base-image.js';
import { withoutPassword } from './settings/build-settings.js';
import { defaultBaseImage, readConfig } from './config.js';
import { isDebianLike } from './packages/debian.js';
import { engineAddress } from './engine/engine-api.js';
import { isApiNewEnough } from './engine/engine.js';
import { describeLengths } from './file-lengths.js';
import { importPath, mirrorIn } from './engine/make-base-image.js';
import { isPythonNewEnough } from './packages/python.js';

test('the default base image may be replaced by the one made here, a chosen one by nothing', () => {
  expect(acceptableImages(defaultBaseImage)).toEqual([defaultBaseImage, madeBaseImage]);
  expect(acceptableImages(madeBaseImage)).toEqual([madeBaseImage]);
  expect(acceptableImages('registry.internal/python:3.12')).toEqual(['registry.internal/python:3.12']);
});

test('versions are compared as numbers', () => {
  expect(['1.41', '1.100', '2.0'].map((api) => isApiNewEnough(api))).toEqual([true, true, true]);
  expect(['1.40', '1.9', '0', ''].map((api) => isApiNewEnough(api))).toEqual([false, false, false, false]);
  expect(['3.10', '3.14', '4.0'].map(isPythonNewEnough)).toEqual([true, true, true]);
  expect(['3.9', '2.7', ''].map(isPythonNewEnough)).toEqual([false, false, false]);
});

test('Debian, Ubuntu and what descends from them is recognised, nothing else', () => {
  expect(isDebianLike('NAME="Debian GNU/Linux"\nID=debian\n')).toBe(true);
  expect(isDebianLike('ID=linuxmint\nID_LIKE="ubuntu debian"\n')).toBe(true);
  expect(isDebianLike('ID="fedora"\nNAME="not debian"\n')).toBe(false);
});

test('an engine is reached by socket and by address', () => {
  expect(engineAddress('unix:///run/user/1000/docker.sock')).toEqual({ socketPath: '/run/user/1000/docker.sock' });
  expect(engineAddress('tcp://10.0.0.7:2376')).toEqual({ host: '10.0.0.7', port: 2376 });
  expect(() => engineAddress('ssh://10.0.0.7')).toThrow('unix:// and tcp://');
});

test("the mirror is the one apt uses for Debian's main archive", () => {
  const policy = [
    ' 500 http://mirror.internal/security bookworm-security/main amd64 Packages',
    '     release v=12,o=Debian,a=oldstable-security,n=bookworm-security,l=Debian-Security,c=main,b=amd64',
    ' 500 http://mirror.internal/debian bookworm/main amd64 Packages',
    '     release v=12.11,o=Debian,a=oldstable,n=bookworm,l=Debian,c=main,b=amd64',
  ];
  expect(mirrorIn(policy.join('\n'))).toBe('http://mirror.internal/debian');
  expect(mirrorIn(' 500 http://archive.internal/ubuntu noble/main\n     release o=Ubuntu,l=Ubuntu')).toBeUndefined();
});

test('an imported image is named by repository and tag and finds its programs', () => {
  const query = new URL(importPath('gantry-base:bookworm'), 'http://engine').searchParams;
  expect([query.get('repo'), query.get('tag')]).toEqual(['gantry-base', 'bookworm']);
  expect(query.getAll('changes')[0]).toMatch(/^ENV PATH=.*\/usr\/bin/);
});

test('no password of an index is shown', () => {
  expect(withoutPassword('https://ada:secret@index.internal/simple')).toBe('https://…@index.internal/simple');
  expect(withoutPassword('/etc/ssl/certs/ca-certificates.crt')).toBe('/etc/ssl/certs/ca-certificates.crt');
});

test('file lengths are told by median, 90th percentile and share of long files', () => {
  expect(describeLengths([10, 20, 30, 40, 50, 60, 70, 80, 90, 301])).toBe(
    '  file lengths: 10 files, median 60 lines, 90th percentile 301, 10.0 % past 300',
  );
});

test('an empty variable counts as unset', () => {
  const config = readConfig({
    HOME: '/home/a',
    BASE_IMAGE: '',
    XDG_CONFIG_HOME: '/etc/xdg',
    PIP_CERT: '',
    SSL_CERT_FILE: '/ca.pem',
  });
  expect(config.baseImage).toBeUndefined();
  expect(config.settingsFile).toBe('/etc/xdg/gantry/server.env');
  expect(readConfig({ HOME: '/home/a', GANTRY_HOME: '/srv/second' }).settingsFile).toBe('/srv/second/server.env');
  expect(config.cacheFolder).toBe('/home/a/.cache/gantry');
  expect(config.authorityFile).toEqual({ name: 'SSL_CERT_FILE', value: '/ca.pem' });
});
