// With OpenSSH and the real engine.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testConfig } from '../../testing/config.ts';
import { startSshServer, type SshServer } from '../../testing/servers/ssh-server.ts';
import { connectEngine, pingEngine } from './client.ts';

let server: SshServer;
let socket = '';

beforeAll(async () => {
  server = await startSshServer();
  socket = new URL(testConfig().engine_host).pathname;
}, 30_000);
afterAll(async () => await server?.stop());

const engineAt = ({ path = socket, ...more }: { path?: string; fingerprint?: string; private_key?: string } = {}) => {
  const { address, fingerprint, private_key } = server;
  return connectEngine({
    docker_host: `${address}${path}`,
    installation_id: crypto.randomUUID(),
    ssh: { fingerprint, private_key, ...more },
  });
};

test('an engine answers through SSH, many requests at once and after a lost session', async () => {
  const engine = engineAt();
  const version = await pingEngine(engine);
  expect(version.version).toMatch(/^\d+\./);
  const answers = await Promise.all(Array.from({ length: 30 }, async () => await pingEngine(engine)));
  expect(new Set(answers.map((one) => one.version)).size).toBe(1);
  await server.endSessions();
  await expect.poll(async () => (await pingEngine(engine)).version, { timeout: 20_000 }).toBe(version.version);
}, 60_000);

test.each([
  ['a machine with another key', { fingerprint: `SHA256:${'a'.repeat(43)}` }, /does not answer \(.*verification/i],
  ['a text that is no key', { private_key: 'no key' }, /does not answer \(.*privateKey/],
  ['a socket that the user may not open, or that is none', { path: '/nowhere.sock' }, /nowhere\.sock is not open/],
])('%s is refused with the reason', async (_, wrong, reason) => {
  await expect(pingEngine(engineAt(wrong))).rejects.toMatchObject({
    code: 'engine_unavailable',
    detail: expect.stringMatching(reason),
  });
});
