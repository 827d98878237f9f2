import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownClusterOf } from '../../../../ground/config/own-cluster.ts';
import { ownCluster } from './own-cluster.ts';

let folder = '';
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'gantry-test-'))));
afterAll(async () => await rm(folder, { recursive: true, force: true }));

test('T584: the token of the pod goes to the address of its environment, read again for each request', async () => {
  const own = ownClusterOf({ KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '6443' });
  expect(own).toMatchObject({ address: 'https://10.0.0.1:6443' });
  await writeFile(join(folder, 'ca.crt'), 'the authority');
  const found = await ownCluster({ address: own?.address ?? '', folder }, {});
  expect(found).toMatchObject({ address: 'https://10.0.0.1:6443', ca: 'the authority' });
  const token = found.credential as () => Promise<string>; // as it documents
  await expect(token()).rejects.toMatchObject({
    code: 'engine_unavailable',
    detail: expect.stringContaining('no token'),
  });
  for (const text of ['first', 'second']) {
    await writeFile(join(folder, 'token'), `${text}\n`);
    expect(await token()).toBe(text);
  }
});

test('outside of a cluster, and beside another credential, it is refused', async () => {
  expect(ownClusterOf({})).toBeUndefined();
  expect(ownClusterOf({ KUBERNETES_SERVICE_HOST: 'fd00::1' })).toMatchObject({ address: 'https://[fd00::1]:443' });
  await expect(ownCluster(undefined, {})).rejects.toMatchObject({ code: 'engine_unavailable' });
  await expect(ownCluster({ address: 'https://10.0.0.1', folder }, { token: 'another' })).rejects.toMatchObject({
    code: 'engine_unavailable',
    detail: expect.stringContaining('another credential'),
  });
});
