// With the real engine and the real uv. The mirror is of this test: it offers the base image's own Python, packed as uv's are.
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { answeringServer } from '../../../testing/servers/answering-server.ts';
import { testConfig } from '../../../testing/config.ts';
import { removeLeftovers } from '../../../testing/engine-leftovers.ts';
import { freePort } from '../../../testing/servers/free-port.ts';
import { packArchive } from '../../docker/archive.ts';
import { findImage } from '../../docker/base-image.ts';
import { fetchPython } from './fetch-python.ts';
import { minorOf, openPythons } from './pythons.ts';
import { pythonImage } from './obtain-python.ts';
import type { Sandboxes } from '../sandboxes.ts';
import { testInstallation } from '../test-installation.ts';

const installation = testInstallation(testConfig());
const { engine } = installation;
afterAll(() => removeLeftovers(engine));

const signal = () => AbortSignal.timeout(280_000);
const open = async (python_mirror: string) => await installation.open({ obtains_pythons: true, python_mirror });

test('a Python of the mirror is added to the base image, and is its first', { timeout: 300_000 }, async () => {
  let file = Buffer.alloc(0);
  const mirror = await answeringServer((_, response) => response.end(file));
  const sandboxes = await open(mirror);
  try {
    const python = minorOf(sandboxes.facts.python_version);
    file = await packPython(sandboxes, python);
    const id = await fetchPython(offering(sandboxes, { file, url: `${mirror}/python.tar.gz` }), {
      python,
      say: () => {},
      signal: signal(),
    });
    const made = await sandboxes.on(id, signal());
    expect(made.facts.python_version).toBe(sandboxes.facts.python_version);
    expect(made.base.pin).not.toBe(sandboxes.base.pin);
    const { stdout } = await made.run({
      command: ['python3', '-c', 'import sys; print(sys.prefix)'],
      signal: signal(),
    });
    expect(stdout).toMatch(new RegExp(`^/opt/python/cpython-${python}\\.`));
    await engine.docker.getImage(id).remove();
  } finally {
    await sandboxes.close();
  }
});

test(
  'a file of the mirror with another hash is refused, and a later push gets the reason at once',
  { timeout: 300_000 },
  async () => {
    const asked: string[] = [];
    const other = gzipSync(packArchive([{ path: 'python/bin/python3', content: '#!/bin/sh\n', mode: 0o755 }]));
    const mirror = await answeringServer((request, response) => {
      asked.push(request.url ?? '');
      response.end(other);
    });
    const sandboxes = await open(mirror);
    try {
      const pythons = openPythons(async () => sandboxes, {
        base_images: {},
        published: { '3.12': `127.0.0.1:${await freePort()}/python:3.12` },
        obtain: true,
        opening_ms: 120_000,
      });
      const obtaining = async () => await pythons.obtain('3.12', { onLog: () => {}, signal: signal() });
      const refusal = {
        code: 'python_unavailable',
        detail: expect.stringMatching(
          /cannot be pulled .*; BUILD_PYTHON_MIRROR did not give Python 3\.12: .*Hash mismatch.*; no release of Debian/s,
        ),
      };
      await expect(obtaining()).rejects.toMatchObject(refusal);
      expect(asked.filter((path) => !path.includes('/cpython-3.12.'))).toEqual([]);
      const requests = asked.length;
      expect(requests).toBeGreaterThan(0);
      await expect(obtaining()).rejects.toMatchObject(refusal);
      expect(asked.length).toBe(requests);
      expect(await findImage(engine, pythonImage(engine, '3.12'))).toBeUndefined();
    } finally {
      await sandboxes.close();
    }
  },
);

/** uv refuses links to the outside of the folder. */
async function packPython(sandboxes: Sandboxes, python: string): Promise<Buffer<ArrayBuffer>> {
  let packed = Buffer.alloc(0);
  const pack = `set -e; cd /opt/packed; mkdir -p python/bin python/lib
  cp /usr/bin/python${python} python/bin/; ln -s python${python} python/bin/python3
  cp -r /usr/lib/python${python} /usr/lib/python3 python/lib/
  find python -lname '/*' -delete; find python -lname '*../../../*' -delete; tar -czf python.tar.gz python`;
  await sandboxes.run({
    command: ['/bin/sh', '-c', pack],
    writable_directories: ['/opt/packed'],
    signal: signal(),
    outputs: {
      '/opt/packed/python.tar.gz': async (file) => {
        packed = Buffer.from(await buffer(file));
      },
    },
  });
  return packed;
}

/** uv knows only the Pythons of its own release; here it reads another list. */
function offering(sandboxes: Sandboxes, { file, url }: { file: Buffer; url: string }): Sandboxes {
  const [major, minor, patch] = sandboxes.facts.python_version.split('.').map(Number);
  const family = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  const about = {
    name: 'cpython',
    arch: { family, variant: null },
    os: 'linux',
    libc: 'gnu',
    major,
    minor,
    patch,
    prerelease: '',
    variant: null,
    build: '1',
    url,
    sha256: createHash('sha256').update(file).digest('hex'),
  };
  const list = JSON.stringify({ [`cpython-${major}.${minor}.${patch}-linux-${family}-gnu`]: about });
  return {
    ...sandboxes,
    run: async (input) => {
      const { UV_PYTHON_INSTALL_MIRROR: _, ...env } = input.env ?? {};
      return await sandboxes.run({
        ...input,
        env: { ...env, UV_PYTHON_DOWNLOADS_JSON_URL: '/tmp/in/list.json' },
        files: { 'list.json': list },
      });
    },
  };
}
