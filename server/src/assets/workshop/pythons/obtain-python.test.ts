// With the real engine and Debian's real packages. No registry answers at the public names of this test.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { answeringServer } from '../../../testing/servers/answering-server.ts';
import { testConfig } from '../../../testing/config.ts';
import { removeLeftovers } from '../../../testing/engine-leftovers.ts';
import { freePort } from '../../../testing/servers/free-port.ts';
import { openPythons, type Pythons } from './pythons.ts';
import { pythonImage } from './obtain-python.ts';
import { removeInstallation } from '../remove-installation.ts';
import { findImage } from '../../docker/base-image.ts';
import { runInSandbox } from '../sandbox.ts';
import type { Sandboxes } from '../sandboxes.ts';
import { testInstallation } from '../test-installation.ts';

const installation = testInstallation(testConfig());
const { engine } = installation;
let published: Record<string, string>;

beforeAll(async () => {
  const registry = `127.0.0.1:${await freePort()}`;
  published = Object.fromEntries(['3.13'].map((python) => [python, `${registry}/python:${python}`]));
});
afterAll(() => removeLeftovers(engine));

const signal = () => AbortSignal.timeout(280_000);
const open = (usual: Sandboxes): Pythons =>
  openPythons(async () => usual, { base_images: {}, published, obtain: true, opening_ms: 120_000 });

test(
  'two pushes that need the same lacking Python wait for one image of it, which works, stays, and leaves with the installation',
  { timeout: 300_000 },
  async () => {
    const sandboxes = await installation.open({ obtains_pythons: true });
    onTestFinished(() => sandboxes.close());
    const pythons = open(sandboxes);
    const logs: string[][] = [[], []];
    const [one, other] = await Promise.all(
      logs.map((log) => pythons.obtain('3.13', { onLog: (line) => log.push(line), signal: signal() })),
    );
    expect(other?.base.id).toBe(one?.base.id);
    expect(one?.facts.python_version).toMatch(/^3\.13\./);
    const { '3.13': reference = '' } = published;
    for (const log of logs)
      expect(log.join('\n')).toMatch(
        new RegExp(
          `pulling ${reference}[^]*cannot be pulled[^]*BUILD_PYTHON_MIRROR is not set[^]*packages of Debian trixie[^]*is ready`,
        ),
      );
    expect(logs[0]?.filter((line) => line.includes('handing the image'))).toHaveLength(1);

    const image = await findImage(engine, pythonImage(engine, '3.13'));
    expect(image?.id).toBe(one?.base.id);
    expect((await open(sandboxes).sandboxes('3.13.5')).base.pin).toBe(image?.pin);
    const { limits } = installation.settings;
    const { exit_code, stdout } = await runInSandbox(engine, {
      image: image?.id ?? '',
      command: ['/bin/sh', '-c', uses],
      limits,
      signal: signal(),
    });
    expect({ exit_code, stdout }).toEqual({ exit_code: 0, stdout: 'True libz.so.1 root\nset: \nfree: 3.13\n' });

    await removeInstallation(engine);
    expect(await findImage(engine, pythonImage(engine, '3.13'))).toBeUndefined();
  },
);

// Certificate authorities, the cache of the loader, users, no setuid bit, and an environment.
const uses = `
set -e
python3 -c "import ssl, ctypes.util, pwd; print(len(ssl.create_default_context().get_ca_certs()) > 100, ctypes.util.find_library('z'), pwd.getpwuid(0).pw_name)"
echo "set: $(find / -xdev -perm /6000 -type f 2>/dev/null)"
python3 -m venv /tmp/venv
echo "free: $(/tmp/venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
`;

test('packages of a mirror that Debian has not signed become no image', { timeout: 300_000 }, async () => {
  const asked: string[] = [];
  const mirror = await answeringServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('Origin: Debian\nSuite: stable\nCodename: trixie\n');
  });
  const sandboxes = await installation.open({ obtains_pythons: true, index_hosts: [mirror] });
  onTestFinished(() => sandboxes.close());
  const facts = { ...sandboxes.facts, debian: { release: 'bookworm', mirror } };
  await expect(
    open({ ...sandboxes, facts }).obtain('3.13', { onLog: () => {}, signal: signal() }),
  ).rejects.toMatchObject({
    code: 'python_unavailable',
    detail: expect.stringContaining('no image could be made from the packages of Debian trixie: E: '),
  });
  expect(asked).toContain('/dists/trixie/InRelease');
  expect(asked.filter((path) => path.endsWith('.deb'))).toEqual([]);
  expect(await findImage(engine, pythonImage(engine, '3.13'))).toBeUndefined();
});
