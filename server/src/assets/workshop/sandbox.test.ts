// With the real engine. Beside each refusal is an allowed action, so that a broken sandbox cannot pass as a boundary.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testConfig } from '../../testing/config.ts';
import { removeLeftovers } from '../../testing/engine-leftovers.ts';
import { findBaseImage } from '../docker/base-image.ts';
import { labelsFor, ownedBy } from '../docker/labels.ts';
import { runInSandbox, sweepSandboxes, type SandboxInput } from './sandbox.ts';
import { testInstallation } from './test-installation.ts';

const { engine, settings } = testInstallation(testConfig());
const limits = { memory_bytes: 128e6, cpus: 1, pids: 32, disk_bytes: 50e6, deadline_seconds: 30 };
let image = '';

beforeAll(async () => {
  image = (await findBaseImage(engine, settings.base_image)).id;
});
afterAll(() => removeLeftovers(engine));

function run(script: string, changes: Partial<SandboxInput> = {}) {
  const command = ['/bin/sh', '-c', script];
  return runInSandbox(engine, { image, command, limits, signal: AbortSignal.timeout(60_000), ...changes });
}

const left = () => engine.docker.listContainers({ all: true, filters: ownedBy(engine, 'sandbox') });

test('a command reads its files and returns its output, its log and its exit code', async () => {
  const log: string[] = [];
  const script = 'cat /tmp/in/a.txt; echo "a line" >&2; printf "the end" >&2; exit 3';
  const result = await run(script, { files: { 'a.txt': 'hello' }, onLog: (line) => log.push(line) });
  expect(result).toEqual({ exit_code: 3, stdout: 'hello', stderr: 'a line\nthe end' });
  expect(log).toEqual(['a line', 'the end']);
  expect(await left()).toEqual([]);
});

test('a command has no root, no capability and no way to gain privileges', async () => {
  const { stdout } = await run('id -u; grep -E "^(CapPrm|CapEff|CapBnd|NoNewPrivs)" /proc/self/status');
  expect(stdout.split(/\s+/)).toEqual(expect.arrayContaining(['10001', 'NoNewPrivs:', '1']));
  expect(stdout).toMatch(/CapPrm:\s+0+\nCapEff:\s+0+\nCapBnd:\s+0+\n/);
});

test('a command writes only to /tmp and to its writable directories', async () => {
  const script = 'touch /tmp/a /opt/given/a && echo given; touch /opt/b /usr/b /etc/b; exit 0';
  const { stdout, stderr } = await run(script, { writable_directories: ['/opt/given'] });
  expect(stdout).toBe('given\n');
  expect(stderr.match(/Permission denied/g)).toHaveLength(3);
  const closed = await run('touch /tmp/a && echo tmp; touch /var/tmp/a && echo var; mkdir /home/x; exit 0');
  expect(closed.stdout).toBe('tmp\nvar\n');
  expect(closed.stderr).toMatch(/Read-only file system/);
});

test('a program gets the words of its command unchanged', async () => {
  const words = ["it's", '$HOME', '`id`', 'two words', 'a\nb', '"', '\\', ''];
  const { stdout } = await run('', {
    command: ['python3', '-c', 'import sys, os, json; print(json.dumps([sys.argv[1:], os.environ["ODD"]]))', ...words],
    env: { ODD: "a'$b\n" },
  });
  expect(JSON.parse(stdout)).toEqual([words, "a'$b\n"]);
});

test('a command without a network reaches nothing', async () => {
  const { stdout } = await run('cat /proc/net/dev | tail -n +3 | cut -d: -f1');
  expect(stdout.trim()).toBe('lo');
});

test('a fork bomb ends at the limit of processes', async () => {
  const spawn = (count: number) => run(`for i in $(seq ${count}); do sleep 5 & done; echo survived`);
  expect((await spawn(10)).stdout).toBe('survived\n');
  await expect(spawn(100)).rejects.toMatchObject({
    code: 'build_failed',
    detail: 'The sandbox reached its limit of 32 processes',
  });
  expect(await left()).toEqual([]);
});

test('a command over its memory limit is refused with out_of_memory', async () => {
  expect((await run('python3 -c "x = b\'x\' * 50_000_000; print(len(x))"')).stdout).toBe('50000000\n');
  await expect(run('python3 -c "x = b\'x\' * 500_000_000; print(len(x))"')).rejects.toMatchObject({
    code: 'out_of_memory',
  });
  expect(await left()).toEqual([]);
});

test('the disk limit ends a command that fills the disk', async () => {
  const writable_directories = ['/opt/given'];
  const roomy = { ...limits, memory_bytes: 512e6 };
  const fill = (megabytes: number) =>
    run(`head -c ${megabytes}000000 /dev/zero > /opt/given/a; sleep 2; echo done; sleep ${megabytes > 50 ? 20 : 0}`, {
      writable_directories,
      limits: roomy,
    });
  expect((await fill(20)).stdout).toBe('done\n');
  const began = performance.now();
  await expect(fill(100)).rejects.toMatchObject({
    code: 'disk_limit',
    detail: 'The sandbox wrote more than 48 MB and was stopped',
  });
  expect(performance.now() - began).toBeLessThan(12_000);
  expect(await left()).toEqual([]);
});

test('a command over its time limit is stopped', async () => {
  await expect(run('sleep 30', { limits: { ...limits, deadline_seconds: 1 } })).rejects.toMatchObject({
    code: 'build_failed',
    detail: 'The sandbox took longer than 1 s and was stopped',
  });
});

test('an aborted command is gone within a second', async () => {
  const stop = new AbortController();
  const started = Promise.withResolvers<void>();
  const running = run('echo up >&2; sleep 30', { signal: stop.signal, onLog: () => started.resolve() });
  await started.promise;
  const began = performance.now();
  stop.abort(new Error('cancelled by a test'));
  await expect(running).rejects.toThrow('cancelled by a test');
  expect(performance.now() - began).toBeLessThan(1000);
  expect(await left()).toEqual([]);
});

test('an image from a sandbox has neither its files nor its environment', async () => {
  const canary = crypto.randomUUID();
  const { image: id = '' } = await run('cp /tmp/in/secret /tmp/copy; echo kept > /opt/given/kept', {
    writable_directories: ['/opt/given'],
    files: { secret: canary },
    env: { TOKEN: canary },
    keep: () => ({ labels: labelsFor(engine, 'unpacked') }),
  });
  const probe = await engine.docker.createContainer({ Image: id, Cmd: ['true'] });
  try {
    expect((await run('cat /opt/given/kept', { image: id })).stdout).toBe('kept\n');
    await expect(probe.infoArchive({ path: '/tmp/copy' })).rejects.toMatchObject({ statusCode: 404 });
    await expect(probe.infoArchive({ path: '/tmp/in' })).rejects.toMatchObject({ statusCode: 404 });
    const records = [await engine.docker.getImage(id).inspect(), await engine.docker.getImage(id).history()];
    expect(JSON.stringify(records)).not.toContain(canary);
  } finally {
    await probe.remove({ force: true });
    await engine.docker.getImage(id).remove({ force: true });
  }
}, 60_000);

test('the containers of a killed process are removed', async () => {
  const running = run('sleep 60').catch((error: unknown) => error);
  while ((await left()).length === 0) await delay(50);
  await sweepSandboxes(engine);
  expect(await left()).toEqual([]);
  await running;
});
