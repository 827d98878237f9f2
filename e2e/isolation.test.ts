// The properties and the reach of an agent's container, checked twice: from the engine's record, and by code inside. Every "cannot" is
// beside a "can", so that a broken check fails too.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callAgent, type Agent } from './call-agent.ts';
import { engineOf, type Seen } from './engine-of.ts';
import { install, type OwnInstallation } from './installation.ts';
import { agentYaml, writeProject } from './write-project.ts';

const run = promisify(execFile);
const prober = await readFile(join(import.meta.dirname, 'agents/prober.py'), 'utf8');
const canary = 'a-value-that-shows-nowhere-8417';

let gantry: OwnInstallation;
let seen: Seen;
let agent: Agent;
let made: Docker.ContainerInspectInfo;
let image: Docker.ImageInspectInfo;
/** Another agent of the same team. */
let sibling: string;

beforeAll(async () => {
  // On every address, so that only the network can make it unreachable.
  gantry = await install({ HOST: '0.0.0.0' });
  // The wider network; e2e/egress.test.ts has the other one.
  await gantry.must('svc org set agent_egress open');
  await gantry.must('svc team create ml');
  await gantry.person('ada');
  await gantry.must('svc team add ml user:ada@example.com --role contributor');
  const resources = '  resources:\n    cpu: 500m\n    memory: 512Mi\n';
  await writeProject(gantry, 'prober', {
    'agent.py': prober,
    'agent.yaml': agentYaml('prober', `deploy:\n  env_vars:\n    CANARY: ${canary}\n${resources}`),
  });
  await writeProject(gantry, 'sibling');
  await gantry.must('svc submit --message "look inside"', { as: 'ada', in: 'prober' });
  const { stdout } = await gantry.must('svc review list --json');
  const [request] = JSON.parse(stdout) as { id: string }[];
  await gantry.must(`svc review approve ${request?.id} --reason fine`);
  await gantry.must('svc deploy agents/prober@1.0.0');
  await gantry.must('svc deploy', { in: 'sibling' });
  seen = await engineOf(gantry);
  made = await inspect('prober');
  image = await seen.engine.docker.getImage(made.Image).inspect();
  sibling = (await inspect('sibling')).NetworkSettings.Networks[made.HostConfig.NetworkMode ?? '']?.IPAddress ?? '';
  agent = callAgent(`${gantry.url}/agents/prober`, await gantry.token());
});
afterAll(async () => await gantry.stop());

async function inspect(name: string): Promise<Docker.ContainerInspectInfo> {
  const found = (await seen.containers('agent')).find((container) => container.startsWith(`svc-${name}-`));
  return await seen.engine.docker.getContainer(found ?? '').inspect();
}

/** What `look()` returns inside the container. */
async function inside(code: string): Promise<unknown> {
  const { status, text, json } = await agent.ask({ do: 'run python', value: code });
  if (status !== 200) throw new Error(text);
  return json.output?.result;
}

describe('the engine holds', () => {
  test('every restriction, and no exception to one', () => {
    expect(made.HostConfig).toMatchObject({
      Privileged: false,
      CapAdd: null,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': expect.stringMatching(/^rw,nosuid,nodev,noexec,/) as string },
      IpcMode: 'private',
      PidMode: '',
      UTSMode: '',
      UsernsMode: '',
      CgroupParent: '',
      Devices: null,
      DeviceRequests: null,
      GroupAdd: null,
      Binds: null,
      VolumesFrom: null,
      Links: null,
      ExtraHosts: null,
      PortBindings: null,
      PublishAllPorts: false,
      PidsLimit: 512,
      Memory: 512 * 1024 ** 2,
      MemorySwap: 512 * 1024 ** 2,
      NanoCpus: 500_000_000,
      RestartPolicy: { Name: 'no' },
    });
    expect(made.HostConfig).not.toHaveProperty('Sysctls');
    expect(made.Config.User).toBe('10001:10001');
    expect(Object.keys(made.NetworkSettings.Networks)).toEqual([made.HostConfig.NetworkMode]);
    expect(made.HostConfig.NetworkMode).toMatch(/^svc-agents-/);
  });

  test('one mount: the directory of secrets in memory, read-only', () => {
    expect(made.Mounts).toEqual([
      {
        Type: 'bind',
        Source: expect.stringMatching(/^\/(run|dev\/shm)\/gantry-/) as string,
        Destination: '/run/secrets',
        Mode: '',
        RW: false,
        Propagation: 'rprivate',
      },
    ]);
  });

  test('the image that was approved, by digest', async () => {
    const { stdout } = await gantry.must('svc review list --status approved --json');
    const [approval] = JSON.parse(stdout) as { digest: string }[];
    expect(approval?.digest).toMatch(/^sha256:/);
    expect(image.Config.Labels['org.opencontainers.image.revision']).toBe(approval?.digest);
    expect(made.Config.Image).toBe(image.Id);
  });
});

test('the compose file describes the same container, without secrets and without exceptions', async () => {
  const { stdout } = await gantry.must('svc deployments list prober --json');
  const [deployment] = JSON.parse(stdout) as { id: string }[];
  const answer = await fetch(`${gantry.url}/api/v1/deployments/${deployment?.id}/files`, {
    headers: { authorization: `Bearer ${await gantry.token()}` },
  });
  const { data: files } = (await answer.json()) as { data: { name: string; content: string }[] };
  const text = files.find(({ name }) => name === 'compose.yaml')?.content ?? '';
  const { services } = parse(text) as { services: { agent: Record<string, unknown> } };
  expect(services.agent).toMatchObject({ image: image.Id, read_only: true, cap_drop: ['ALL'], user: '10001:10001' });
  for (const opening of [
    'ports',
    'volumes',
    'privileged',
    'cap_add',
    'devices',
    'network_mode',
    'pid',
    'secrets',
    'env_file',
  ])
    expect(services.agent).not.toHaveProperty(opening);
  expect(text).not.toContain(canary);
  expect(text).not.toContain('/run/gantry');
});

describe('code of the agent', () => {
  test('runs as nobody, without privileges, under the default filter of system calls', async () => {
    const status = (await inside(`
def look():
    lines = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines())
    return {name: lines[name].strip() for name in ("Uid", "Gid", "Groups", "CapEff", "CapBnd", "NoNewPrivs", "Seccomp")}
`)) as Record<string, string>;
    const ids = '10001\t10001\t10001\t10001';
    expect(status).toEqual({
      Uid: ids,
      Gid: ids,
      // Some engines also list the group itself among the supplementary ones.
      Groups: expect.stringMatching(/^(10001)?$/) as string,
      CapEff: '0000000000000000',
      CapBnd: '0000000000000000',
      NoNewPrivs: '1',
      Seccomp: '2',
    });
  });

  test('writes only into /tmp, and runs nothing from there', async () => {
    const found = await inside(`
import os, subprocess
def look():
    written = []
    for folder in ("/", "/app", "/opt/svc/_svc_wrapper", "/opt/venv", "/etc", "/run", "/run/secrets", "/var/tmp", "/dev/shm", "/tmp"):
        try:
            open(os.path.join(folder, "probe"), "w").close()
            written.append(folder)
        except OSError:
            pass
    for path in ("/app/agent.py", "/run/secrets/CANARY"):
        try:
            open(path, "a").close()
            written.append(path)
        except OSError:
            pass
    open("/tmp/program", "w").write("#!/bin/sh\\n")
    os.chmod("/tmp/program", 0o755)
    try:
        ran = subprocess.run(["/tmp/program"]).returncode
    except PermissionError:
        ran = "refused"
    return {"written": written, "ran": ran}
`);
    expect(found).toEqual({ written: ['/dev/shm', '/tmp'], ran: 'refused' });
  });

  test('has its variables, and only its own secrets', async () => {
    const found = await inside(`
import os
def look():
    return {"canary": os.environ["CANARY"], "ingress": [name for name in os.environ if "INGRESS" in name], "secrets": sorted(os.listdir("/run/secrets")), "mounted": [line.split()[4] for line in open("/proc/self/mountinfo") if " /run" in line]}
`);
    expect(found).toEqual({
      canary,
      ingress: [],
      secrets: [
        'ANTHROPIC_API_BASE',
        'ANTHROPIC_API_KEY',
        'ANTHROPIC_API_URL',
        'ANTHROPIC_BASE_URL',
        'CANARY',
        'GEMINI_API_BASE',
        'GEMINI_API_KEY',
        'GOOGLE_API_KEY',
        'GOOGLE_GEMINI_BASE_URL',
        'OLLAMA_HOST',
        'OPENAI_API_BASE',
        'OPENAI_API_KEY',
        'OPENAI_BASE_URL',
        'SVC_AGENT_NAME',
        'SVC_AGENT_VERSION',
        'SVC_FRAMEWORK',
        'SVC_GATEWAY_KEY',
        'SVC_GATEWAY_URL',
        'SVC_INGRESS_SECRET',
        'SVC_MEMORY',
        'SVC_MEMORY_BYTES',
        'SVC_SECRET_NAMES',
        'SVC_SERVICE_URL',
      ],
      mounted: ['/run/secrets'],
    });
  });

  test('finds neither the database nor the engine nor any other part of the service', async () => {
    const paths = [
      join(gantry.data_dir, 'postgresql/socket'),
      gantry.data_dir,
      '/var/run/docker.sock',
      '/run/docker.sock',
      '/host',
      '/var/lib/docker',
    ];
    const found = await inside(`
import os
def look():
    return [path for path in ${JSON.stringify([...paths, '/app/agent.py'])} if os.path.exists(path)]
`);
    expect(found).toEqual(['/app/agent.py']);
  });

  test('reaches itself, and no sibling, no address of this machine, no private network and no metadata', async () => {
    const { port } = new URL(gantry.url);
    const own = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ family }) => family === 'IPv4');
    const machine = own.map(({ address }) => `${address}:${port}`).filter((place) => !place.startsWith('127.'));
    expect(machine.length).toBeGreaterThan(0);
    // From here on all of them answer.
    const answering = await Promise.all([`${sibling}:8080`, ...machine].map(connects));
    expect(answering.every(Boolean)).toBe(true);
    const elsewhere = [
      '169.254.169.254:80',
      '10.255.255.1:80',
      '172.31.255.1:80',
      '192.168.255.1:80',
      '100.64.0.1:80',
      `host.docker.internal:${port}`,
    ];
    expect(await reaches(['127.0.0.1:8080', `${sibling}:8080`, ...machine, ...elsewhere])).toEqual(['127.0.0.1:8080']);
  });

  test('soon reaches nothing more after the machine’s firewall was emptied', async () => {
    const here = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .find(({ family, address }) => family === 'IPv4' && !address.startsWith('127.'));
    const machine = `${here?.address}:${new URL(gantry.url).port}`;
    const { stdout } = await run('iptables', ['-w', '5', '-S', 'INPUT']);
    const bridge = `svc${made.HostConfig.NetworkMode?.replace('svc-agents-', '')}a`;
    const jump = stdout.split('\n').find((line) => line.includes(`-i ${bridge}`)) ?? '';
    await run('iptables', ['-w', '5', '-F', /-j (\S+)/.exec(jump)?.[1] ?? '']);
    expect(await reaches([machine])).toEqual([machine]);
    await expect.poll(async () => await reaches([machine]), { timeout: 40_000, interval: 1000 }).toEqual([]);
    await run('iptables', ['-w', '5', ...jump.replace(/^-A/, '-D').split(' ')]);
    expect((await gantry.must('svc doctor')).output).toMatch(/ok\s+agent network/);
    expect(await reaches([machine])).toEqual([]);
  });
});

/** Which of these the agent can connect to. */
async function reaches(places: string[]): Promise<unknown> {
  return await inside(`
import concurrent.futures, socket
def open_one(place):
    host, port = place.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), 5).close()
        return place
    except OSError:
        return None
def look():
    places = ${JSON.stringify(places)}
    with concurrent.futures.ThreadPoolExecutor(30) as pool:
        return [place for place in pool.map(open_one, places) if place]
`);
}

async function connects(place: string): Promise<boolean> {
  const [host, port] = place.split(':');
  const socket = connect({ host: host ?? '', port: Number(port), timeout: 5000 });
  const is_open = await new Promise<boolean>((done) => {
    socket.once('connect', () => done(true));
    for (const event of ['error', 'timeout']) socket.once(event, () => done(false));
  });
  socket.destroy();
  return is_open;
}

test('a value of env_vars is in no record of the engine, no log and no audit entry', async () => {
  const secret = await readFile(join(made.Mounts[0]?.Source ?? '', 'SVC_INGRESS_SECRET'), 'utf8');
  expect(await readFile(join(made.Mounts[0]?.Source ?? '', 'CANARY'), 'utf8')).toBe(canary);
  const { docker } = seen.engine;
  const places = {
    container: JSON.stringify(made),
    image: JSON.stringify(image),
    history: JSON.stringify(await docker.getImage(made.Image).history()),
    processes: JSON.stringify(await docker.getContainer(made.Id).top({ ps_args: '-eo pid,args' })),
    'the agent’s log': (await gantry.must('svc logs prober')).output,
    'the service’s log': await readFile(join(gantry.data_dir, 'server.log'), 'utf8'),
    audit: (await gantry.must('svc audit --since 1d --json')).output,
    deployments: (await gantry.must('svc deployments list --json')).output,
    'for one who may not write': (await gantry.must('svc status prober --json', { as: 'ada' })).output,
  };
  const found = Object.entries(places).filter(([, text]) => text.includes(canary) || text.includes(secret));
  expect(found.map(([place]) => place)).toEqual([]);
  const empty = Object.entries(places).filter(([, text]) => text.length < 50);
  expect(empty.map(([place]) => place)).toEqual([]);
});
