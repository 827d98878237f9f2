// Each limit is reached for real. The record has every setting of the table, or it does not compile.
import { settings } from '../../ground/config/config.ts';
import { findBaseImage } from '../../assets/docker/base-image.ts';
import { limitSettings, type LimitSetting } from '../../assets/workshop/raise-limit.ts';
import { runInSandbox, type SandboxLimits } from '../../assets/workshop/sandbox.ts';
import { testInstallation } from '../../assets/workshop/test-installation.ts';
import { answeringServer } from '../../testing/servers/answering-server.ts';
import { testConfig } from '../../testing/config.ts';
import { removeLeftovers } from '../../testing/engine-leftovers.ts';
import { afterAll, expect, test } from 'vitest';
import { waitUntilReady } from './targets/probe.ts';
import type { Target } from './targets/target.ts';

const { engine, settings: build } = testInstallation(testConfig());
afterAll(() => removeLeftovers(engine));

const usual: SandboxLimits = { memory_bytes: 128e6, cpus: 1, pids: 32, disk_bytes: 20e6, deadline_seconds: 30 };

const reach: Record<LimitSetting, () => Promise<unknown>> = {
  BUILD_DEADLINE_SECONDS: async () => await sandbox('sleep 60', { deadline_seconds: 2 }),
  BUILD_MEMORY_MB: async () => await sandbox('python3 -c "x = b\'x\' * 500_000_000; print(len(x))"'),
  BUILD_DISK_MB: async () =>
    await sandbox('head -c 60000000 /dev/zero > /opt/given/a; sleep 20', { memory_bytes: 512e6 }),
  BUILD_PROCESSES: async () => await sandbox('for i in $(seq 100); do sleep 5 & done'),
  START_DEADLINE_SECONDS: async () => await waitUntilReady({ ...(await starting()), deadline_ms: 300 }),
};

test.each(Object.keys(limitSettings) as LimitSetting[])(
  'a step that ends at the limit of %s says how an operator raises it',
  { timeout: 60_000 },
  async (setting) => {
    expect(Object.keys(settings.shape)).toContain(setting);
    await expect(reach[setting]()).rejects.toMatchObject({
      hint: expect.stringMatching(new RegExp(`\`svc server set ${setting}=<\\w+>\` and \`svc server restart\``)),
    });
  },
);

async function sandbox(script: string, limits: Partial<SandboxLimits> = {}) {
  return await runInSandbox(engine, {
    image: (await findBaseImage(engine, build.base_image)).id,
    command: ['/bin/sh', '-c', script],
    writable_directories: ['/opt/given'],
    limits: { ...usual, ...limits },
    signal: AbortSignal.timeout(50_000),
  });
}

/** An agent that still loads. */
async function starting() {
  const url = await answeringServer((request, response) => {
    response.writeHead(request.url === '/health' ? 200 : 503).end('{"status":"starting"}');
  });
  const instance = { state: 'running', url };
  const target = {
    observe: async () => instance,
    reach: async () => ({ url, headers: {} }),
    logs: async function* () {},
  };
  // The probe uses only these members.
  return { target: target as unknown as Target, place: {} as never, secrets: {}, signal: AbortSignal.timeout(20_000) };
}
