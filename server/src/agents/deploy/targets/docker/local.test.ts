// Real containers of a fake agent. A secret file sets its behaviour, and this also proves that secrets arrive.
import { once } from 'node:events';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { packArchive } from '../../../../assets/docker/archive.ts';
import { ensureNetwork, type Network } from '../../../../assets/docker/networks.ts';
import { testInstallation } from '../../../../assets/workshop/test-installation.ts';
import { testConfig } from '../../../../testing/config.ts';
import { removeLeftovers } from '../../../../testing/engine-leftovers.ts';
import { startVariables } from '../../instance-environment.ts';
import { localTarget } from './local.ts';
import { waitUntilReady, type ProbeInput } from '../probe.ts';
import { memoryDirectory } from './secret-directory.ts';
import type { LogLine, Place, PlaceInput, Target } from '../target.ts';

const { engine, settings, agents_subnet } = testInstallation(testConfig());
let image = '';
let network: Network;
let target: Target;
let secrets_directory = '';
const openListed = async () => await Promise.reject(new Error('no container of this test is limited'));
const signal = () => AbortSignal.timeout(30_000);

const standIn = `
import http.server, json, os, signal, sys, time
mode = open("/run/secrets/MODE").read()
print("mode is", mode, flush=True)
print("on stderr", file=sys.stderr, flush=True)
if mode == "exit": sys.exit(7)
if mode == "memory": x = b"x" * 500_000_000
began = time.monotonic()
if mode == "endless": sys.stdout.write("x" * 16_384 + "\\n" + "é" * 2_500_000)
if mode == "endless": sys.exit(0)
state = {"ready": "ready", "slow": "starting", "failed": "failed", "deaf": "starting", "huge": "ready"}[mode]
def drain(*_): print("draining", flush=True)
signal.signal(signal.SIGUSR1, drain)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if mode == "deaf": time.sleep(60)
        ready = state == "ready" or (mode == "slow" and time.monotonic() - began > 1)
        body = {"status": "ready" if ready else state}
        if state == "failed": body["reason"] = {"code": "import_failed", "message": "No module named 'nothing'", "traceback": "Traceback …", "missing_env": ["OPENAI_API_KEY"]}
        self.send_response(200 if self.path == "/health" or ready else 503)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode() + (b" " * 3_000_000 if mode == "huge" else b""))
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("", 8080), Answers).serve_forever()
`;

beforeAll(async () => {
  const context = packArchive([
    {
      path: 'Dockerfile',
      content: `FROM ${settings.base_image}\nCOPY python /opt/venv/bin/python\nCOPY server.py /app/server.py\n`,
    },
    { path: 'python', content: '#!/bin/sh\nexec python3 /app/server.py\n', mode: 0o755 },
    { path: 'server.py', content: standIn },
  ]);
  const output = await engine.docker.buildImage(Readable.from([context]), { version: '2' });
  const { promise, resolve } = Promise.withResolvers<{ aux?: { ID?: string } }[]>();
  engine.docker.modem.followProgress(output, (_, lines) => resolve(lines));
  image = (await promise).find(({ aux }) => aux?.ID !== undefined)?.aux?.ID ?? '';
  network = await ensureNetwork(engine, { purpose: 'agents', subnet: agents_subnet, internal: true });
  secrets_directory = join((await memoryDirectory()) ?? '', `gantry-test-${engine.installation_id}`);
  target = localTarget({ ...ways, open: async () => ({ engine, network, openListed, secrets_directory }) });
}, 60_000);
afterEach(async () => {
  for (const listed of await target.list()) await target.release(listed);
});
afterAll(async () => {
  await removeLeftovers(engine);
  await rm(secrets_directory, { recursive: true, force: true });
  await engine.docker.getImage(image).remove({ force: true });
});

const ways = {
  door: { url: 'http://service.test', port: 0 },
  egress_port: 0,
};

function placeInput(changes: Partial<PlaceInput> = {}): PlaceInput {
  const resources = { cpu_count: 1, memory_bytes: 256 * 1024 ** 2 };
  const instance_id = crypto.randomUUID();
  return {
    agent: 'greeter',
    instance_id,
    revision_id: crypto.randomUUID(),
    name: `svc-greeter-${instance_id.slice(0, 8)}-1`,
    fence: 1,
    image,
    variables: startVariables(instance_id),
    resources,
    ...changes,
  };
}

const provisioned = async (input: PlaceInput) => (await target.provision(input, signal())).place;

async function started(mode: string): Promise<Place> {
  const place = await provisioned(placeInput());
  await target.start(place, { MODE: mode }, signal());
  return place;
}

const wait = (place: Place, changes: Partial<ProbeInput> = {}) =>
  waitUntilReady({ target, place, secrets: {}, signal: signal(), ...changes });

async function logged(place: Place, tail?: number, since?: string): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  for await (const line of target.logs(place, { tail, since, secrets: {}, signal: signal() })) lines.push(line);
  return lines;
}

test('a container that is removed while the list is made is not in the list', async () => {
  const place = await provisioned(placeInput());
  const listContainers = engine.docker.listContainers.bind(engine.docker);
  const docker = Object.create(engine.docker, {
    listContainers: {
      value: async (options: object) => [...(await listContainers(options)), { Id: 'f'.repeat(64) }],
    },
  }) as typeof engine.docker; // the same client, with a list of a moment ago
  const open = async () => ({ engine: { ...engine, docker }, network, openListed, secrets_directory });
  const listed = await localTarget({ ...ways, open }).list(signal());
  expect(listed.map((instance) => instance.place)).toEqual([
    expect.objectContaining({ container_id: String(place['container_id']) }),
  ]);
});

test('a container is found with its address, whatever the name of the present network', async () => {
  const place = await started('ready');
  const { url } = await target.observe(place);
  const renamed = { ...network, name: 'svc-agents-renamed' };
  const after = localTarget({
    ...ways,
    open: async () => ({ engine, network: renamed, openListed, secrets_directory }),
  });
  expect(await after.list(signal())).toEqual([expect.objectContaining({ state: 'running', url })]);
  expect(url).toMatch(/^http:/);
});

test('a place is provisioned and started with its secrets, answers, and is stopped and released', async () => {
  const input = placeInput();
  const place = await provisioned(input);
  expect(await target.observe(place)).toMatchObject({
    state: 'created',
    revision_id: input.revision_id,
    instance_id: input.instance_id,
  });
  await target.start(place, { MODE: 'ready' }, signal());
  const { ready, ...instance } = await wait(place);
  expect(ready).toEqual({ status: 'ready' });
  expect(instance).toMatchObject({
    state: 'running',
    url: expect.stringMatching(/^http:\/\/[\d.]+:8080$/),
    out_of_memory: false,
  });
  expect(await target.list()).toEqual([instance]);

  await target.signalDrain(place);
  await target.stop(place, { grace_seconds: 5 });
  await target.stop(place, { grace_seconds: 5 });
  await target.signalDrain(place);
  expect(await target.observe(place)).toMatchObject({ state: 'exited', exit_code: 0 });
  expect((await logged(place)).map(({ line }) => line)).toContain('draining');

  const { instance_id, name } = input;
  await target.release({ instance_id, name, place });
  await target.release({ instance_id, name, place });
  expect(await target.observe(place)).toMatchObject({ state: 'gone', place });
  expect(await target.list()).toEqual([]);
  expect(await readdir(secrets_directory)).toEqual([]);
}, 60_000);

test('a stopped place starts again with new secrets', async () => {
  const place = await started('exit');
  await expect(wait(place)).rejects.toMatchObject({ code: 'start_failed' });
  await target.start(place, { MODE: 'ready' }, signal());
  expect(await wait(place)).toMatchObject({ state: 'running' });
}, 60_000);

test('secrets are in memory, only for the container, and unknown to the engine', async () => {
  const secret = crypto.randomUUID();
  const place = await provisioned(placeInput());
  await target.start(place, { MODE: 'ready', TOKEN: secret }, signal());
  await wait(place);
  expect((await stat(secrets_directory)).mode & 0o777).toBe(0o700);
  expect(JSON.stringify(await engine.docker.getContainer(String(place['container_id'])).inspect())).not.toContain(
    secret,
  );
  await expect(target.start(await provisioned(placeInput()), { '../x': 'y' }, signal())).rejects.toThrow(
    'not a valid name for a secret file',
  );
}, 60_000);

test('a container can neither change its secrets nor write outside /tmp', async () => {
  const place = await started('ready');
  await wait(place);
  const script = 'touch /tmp/a && echo tmp; touch /run/secrets/a /app/a /a; exit 0';
  const command = await engine.docker
    .getContainer(String(place['container_id']))
    .exec({ Cmd: ['sh', '-c', script], AttachStdout: true, AttachStderr: true });
  const stream = await command.start({});
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(stream, 'end');
  const output = Buffer.concat(chunks).toString();
  expect(output).toContain('tmp');
  expect(output.match(/Read-only file system/g)).toHaveLength(3);
}, 60_000);

test('a killed run finds its container, and a run that lost its lease changes nothing', async () => {
  const input = placeInput();
  const place = await provisioned(input);
  expect(await provisioned(input)).toEqual(place);

  const taken = await provisioned({ ...input, fence: 2 });
  expect(taken['container_id']).not.toBe(String(place['container_id']));
  await target.start(taken, { MODE: 'ready' }, signal());
  await expect(target.provision(input, signal())).rejects.toThrow('newer fence');
  await expect(target.start(place, { MODE: 'exit' }, signal())).rejects.toMatchObject({ code: 'start_failed' });
  await target.stop(place, { grace_seconds: 1 });
  const { instance_id, name } = input;
  await target.release({ instance_id, name, place });
  expect(await wait(taken)).toMatchObject({ state: 'running' });
  // The service died before it stored the container's id.
  await target.release({ instance_id: crypto.randomUUID(), name, place: null });
  expect(await target.observe(taken)).toMatchObject({ state: 'running' });
  await target.release({ instance_id, name, place: null });
  expect(await target.observe(taken)).toMatchObject({ state: 'gone' });
}, 60_000);

test('a limited container is neither made nor started while its network is not guarded', async () => {
  const refused = 'no container of this test is limited';
  await expect(target.provision(placeInput({ egress: ['api.x.com:443'] }), signal())).rejects.toThrow(refused);
  expect(await target.list()).toEqual([]);
  const place = await provisioned(placeInput());
  await expect(target.start({ ...place, egress: [] }, { MODE: 'ready' }, signal())).rejects.toThrow(refused);
  expect((await target.observe(place)).state).toBe('created');
  expect((await target.start(place, { MODE: 'ready' }, signal())).state).toBe('running');
}, 60_000);

test("another installation's container of the same name stays unchanged", async () => {
  const input = placeInput();
  const place = await provisioned(input);
  const other = { ...engine, installation_id: crypto.randomUUID() };
  const stranger = localTarget({
    ...ways,
    open: async () => ({ engine: other, network, openListed, secrets_directory }),
  });
  await expect(stranger.provision(input, signal())).rejects.toThrow('does not belong to this installation');
  expect(await stranger.list()).toEqual([]);
  expect(await target.observe(place)).toMatchObject({ state: 'created' });
}, 60_000);

test('the start waits for readiness, and a large answer does no harm', async () => {
  const paths: string[] = [];
  await wait(await started('slow'), { onProbe: ({ path, result }) => paths.push(`${path} ${result}`) });
  expect(paths).toEqual(expect.arrayContaining(['/health 200', '/ready 503']));
  expect(paths.slice(-2)).toEqual(['/ready 200', '/ready 200']);
  await wait(await started('huge'));
}, 60_000);

test('an agent that cannot be loaded fails with its reason, its log and the probes', async () => {
  await expect(wait(await started('failed'))).rejects.toMatchObject({
    code: 'start_failed',
    detail: "No module named 'nothing'",
    hint: expect.stringContaining('Add the model: `svc model add <name> --provider openai`'),
    fields: {
      reason: { code: 'import_failed', traceback: 'Traceback …' },
      probes: expect.arrayContaining([expect.objectContaining({ path: '/health', result: 200 })]),
      log: expect.arrayContaining([expect.objectContaining({ line: 'mode is failed', stream: 'stdout' })]),
    },
  });
}, 60_000);

test('a failed start names the exit code of its container', async () => {
  await expect(wait(await started('exit'))).rejects.toMatchObject({
    code: 'start_failed',
    detail: 'The container exited with 7',
    hint: expect.stringContaining('run `svc deploy` again'),
  });
}, 60_000);

test('a start without enough memory fails with out_of_memory', async () => {
  await expect(wait(await started('memory'))).rejects.toMatchObject({ code: 'out_of_memory' });
}, 60_000);

test('an unanswered health check ends at the deadline, and a probe at its timeout', async () => {
  const began = performance.now();
  await expect(wait(await started('deaf'), { deadline_ms: 1500, probe_timeout_ms: 400 })).rejects.toMatchObject({
    code: 'health_check_failed',
    hint: expect.stringContaining('deploy.resources.cpu'),
    fields: { probes: expect.arrayContaining([expect.objectContaining({ result: 'timed out' })]) },
  });
  expect(performance.now() - began).toBeLessThan(6000);
}, 60_000);

test('an aborted wait ends at once', async () => {
  const stop = new AbortController();
  const waiting = wait(await started('deaf'), { signal: stop.signal });
  setTimeout(() => stop.abort(new Error('cancelled by a test')), 300);
  await expect(waiting).rejects.toThrow('cancelled by a test');
}, 60_000);

test('a log has time and stream, and is read from its end, since an instant, and until the reader leaves', async () => {
  const place = await started('ready');
  await wait(place);
  const lines = await logged(place);
  expect(lines.map(({ stream, line }) => `${stream} ${line}`).toSorted()).toEqual([
    'stderr on stderr',
    'stdout mode is ready',
  ]);
  expect(Date.now() - Date.parse(lines[0]?.at ?? '')).toBeLessThan(30_000);
  expect(await logged(place, 1)).toHaveLength(1);

  await delay(1100);
  const since = new Date().toISOString();
  const stop = new AbortController();
  const followed: string[] = [];
  const following = (async () => {
    for await (const { line } of target.logs(place, { follow: true, since, secrets: {}, signal: stop.signal })) {
      followed.push(line);
      stop.abort();
    }
  })();
  await delay(300);
  await target.signalDrain(place);
  await following;
  expect(followed).toEqual(['draining']);
}, 60_000);

test('a read since an instant begins with the line of that instant', async () => {
  const place = await started('ready');
  await wait(place);
  await target.signalDrain(place);
  await expect.poll(async () => (await logged(place)).length).toBe(3);
  const lines = await logged(place);
  const [first, second, last] = lines.toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const since = async (line: LogLine | undefined) => (await logged(place, undefined, line?.at)).length;
  expect([await since(first), await since(second), await since(last)]).toEqual([3, 2, 1]);
}, 60_000);

test('output without a newline comes in pieces, each with its time, and loses no character', async () => {
  const place = await started('endless');
  await expect.poll(async () => (await target.observe(place)).state, { timeout: 20_000 }).toBe('exited');
  const began = performance.now();
  const lines = (await logged(place)).filter(({ stream }) => stream === 'stdout');
  expect(performance.now() - began).toBeLessThan(2000);
  expect(lines.every(({ at }) => /^[-\d]{10}T[\d:]{8}\.\d{9}Z$/.test(at))).toBe(true);
  expect(Math.max(...lines.map(({ line }) => line.length))).toBe(16_384);
  const [mode, whole, ...pieces] = lines.map(({ line }) => line);
  expect([mode, whole]).toEqual(['mode is endless', 'x'.repeat(16_384)]);
  expect(pieces.join('') === 'é'.repeat(2_500_000)).toBe(true);
}, 60_000);
