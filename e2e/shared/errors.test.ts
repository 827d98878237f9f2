// The user's view of a fault in a project, a permission or a setting: the sentence, the remedy, the exit code, and no remains. It has
// every row of the spec's table of errors, and further faults.
import { execFile } from 'node:child_process';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { adminOf, reached } from '../api.ts';
import { engineOf } from '../engine-of.ts';
import type { Installation, Ran } from '../installation.ts';
import { agentYaml, echo, writeProject, type Files } from '../write-project.ts';
import { start_deadline_seconds } from './limits.ts';
import { sharedInstallation } from './shared-installation.ts';
import { teams } from './teams.ts';

const run = promisify(execFile);
let gantry: Installation;

beforeAll(async () => {
  gantry = await sharedInstallation('faulty', teams.langgraph);
  for (const [name, role] of [
    ['eda', 'contributor'],
    ['elf', 'deployer'],
  ]) {
    await gantry.person(name ?? '');
    await gantry.must(`svc team add ${gantry.team} user:${name}@example.com --role ${role}`);
  }
  await beginStarts();
});

/** The deploys of agents that do not start. Two take the whole deadline, so they run beside the other tests. */
const starts: Record<string, Promise<Ran>> = {};

async function beginStarts(): Promise<void> {
  await writeProject(gantry, 'import-error', {
    'agent.py': 'import json\n\ndef load():\n    return json.loads("{")\n\ngraph = load()\n',
  });
  await writeProject(gantry, 'hanging', {
    'agent.py': 'import time\nprint("waiting for ever", flush=True)\ntime.sleep(3600)\ngraph = None\n',
  });
  await writeProject(gantry, 'frozen', {
    'agent.py': 'import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\ngraph = None\n',
  });
  await writeProject(gantry, 'exits', {
    'agent.py': 'import os\nprint("giving up", flush=True)\nos._exit(3)\ngraph = None\n',
  });
  await writeProject(gantry, 'greedy', {
    'agent.py': 'hoard = [bytearray(10_000_000) for _ in range(1000)]\ngraph = None\n',
    'agent.yaml': agentYaml('greedy', 'deploy:\n  resources:\n    memory: 256Mi\n', teams.langgraph),
  });
  const first = gantry.type('svc deploy', { in: 'import-error' });
  starts['import-error'] = first;
  // The first makes the dependency image, and the others share it.
  for (const name of ['hanging', 'frozen', 'exits', 'greedy'])
    starts[name] = first.then(async () => await gantry.type('svc deploy', { in: name }));
}

interface Fault {
  files: Files;
  /** Every view has all of these. */
  says: string[];
  /** Exit codes of a fault that only the service can find. */
  passes_validate?: true;
}

const faults: Record<string, Fault> = {
  'agent-py-missing': {
    files: { 'agent.py': undefined, 'main.py': echo },
    says: [
      'agent.py is missing beside agent.yaml',
      'Rename main.py to agent.py, or add an agent.py with: from main import graph',
    ],
  },
  'no-export': {
    files: {
      'agent.py': `${echo}\ndef make():\n    graph = 1\n`.replace(
        'graph = builder.compile()',
        'compiled = builder.compile()',
      ),
    },
    says: ["No 'graph' or 'app' variable found", 'Bind it at module level: `graph = …`, not indented.'],
  },
  'team-unknown': {
    files: { 'agent.yaml': agentYaml('team-unknown', '', 'nobody') },
    says: ['RBAC check failed', '`team` in agent.yaml is nobody', 'Your teams: '],
    passes_validate: true,
  },
  'yaml-faults': {
    files: {
      'agent.yaml': `name: yaml-faults\nversion: 1.10\nteam: ${teams.langgraph}\nframework: langraph\ndeploy:\n  privileged: true\n`,
    },
    says: ['agent.yaml:2:10', 'agent.yaml:4:12', 'langgraph', 'agent.yaml:6:3', 'privileged'],
  },
  'conflict-with-platform': {
    files: { 'requirements.txt': 'langgraph>=1.0\npydantic<2\n' },
    says: ['`pydantic<2` conflicts with `pydantic>=2.0.0`', 'requirements.txt:2', 'widen'],
  },
};

describe.each(Object.entries(faults))('%s', (name, { files, says, passes_validate }) => {
  beforeAll(async () => {
    await writeProject(gantry, name, files);
  });

  test(`svc validate ${passes_validate === undefined ? 'says so' : 'cannot know'}, with exit ${passes_validate === undefined ? 1 : 0}`, async () => {
    const ran = await gantry.type('svc validate', { in: name });
    expect(ran.code, ran.output).toBe(passes_validate === undefined ? 1 : 0);
    if (passes_validate === undefined) expectAll(ran.output, says);
  });

  test('svc deploy reports it and deploys nothing', async () => {
    const ran = await gantry.type('svc deploy', { in: name });
    expect(ran.code, ran.output).toBe(1);
    expectAll(ran.output, says);
  });

  test('the service reports it to a client without checks', async () => {
    const { status, problem } = await upload(name, await pack(name));
    expect(status).toBeGreaterThanOrEqual(400);
    // A finding has its suggestion in a separate member.
    expectAll(
      JSON.stringify(problem).replaceAll(String.raw`\"`, '"'),
      says.filter((sentence) => !/^\w+\.\w+:\d/.test(sentence)),
    );
  });

  afterAll(async () => expect((await gantry.type(`svc registry agent show ${name}`)).code).toBe(1));
});

describe('a file that does not belong in a project', () => {
  test('svc leaves .env out with a notice; the pushed project works without it', async () => {
    await writeProject(gantry, 'with-env', { '.env': 'OPENAI_API_KEY=sk-canary', '.git/config': '[core]' });
    const ran = await gantry.must('svc submit --message "no secrets"', { in: 'with-env' });
    expectAll(ran.output, [
      '.env is left out: may hold secrets',
      '.git is left out: history, which may hold secrets',
      'agents/with-env@1.0.0 is pushed',
    ]);
  });

  test('a client that sends .env is refused', async () => {
    const { status, problem } = await upload('with-env', await pack('with-env'));
    expect({ status, code: problem.code }).toEqual({ status: 422, code: 'archive_unsafe' });
    expectAll(JSON.stringify(problem), ['.env', 'may hold secrets', '.git']);
    expect(JSON.stringify(problem)).not.toContain('sk-canary');
  });

  test('each limit that a project exceeds is named, all at once', async () => {
    const deep = Array.from({ length: 33 }, (_, level) => `d${level}`).join('/');
    const folder = await writeProject(gantry, 'too-large', { 'a-weights.bin': '', [`${deep}/file.txt`]: '' });
    await truncate(join(folder, 'a-weights.bin'), 50_000_001);
    await run('/bin/sh', ['-c', 'mkdir many && cd many && seq 10001 | xargs touch'], { cwd: folder });
    const ran = await gantry.type('svc deploy', { in: 'too-large' });
    expect(ran.code, ran.output).toBe(1);
    expectAll(ran.output, [
      'The file has 50.1 MB; at most 50 MB are accepted',
      'The path has 34 levels; at most 32 are accepted',
      'at most 10000 are accepted',
    ]);
  });

  test('an archive over a limit is refused while it is read', async () => {
    const bomb = await upload('too-large', gzipSync(Buffer.alloc(30_000_000)));
    expect(bomb).toMatchObject({ status: 413, problem: { code: 'archive_too_large' } });
    expect(bomb.problem.detail).toContain('times its size; at most 100 times is accepted');
    const packed = await upload('too-large', gzipSync(await random(50_500_000), { level: 0 }));
    expect(packed).toMatchObject({ status: 413, problem: { code: 'archive_too_large' } });
    expect(packed.problem.detail).toContain('more than 50000000 bytes');
  });
});

test('conflicting requirements are refused with their sources, and with the range to widen', async () => {
  await writeProject(gantry, 'torn', { 'requirements.txt': 'langgraph>=1.0\nlangchain-core<0.3.1\n' });
  const [ran, { stderr }] = await Promise.all([
    gantry.type('svc deploy', { in: 'torn' }),
    gantry.type('svc deploy --json', { in: 'torn' }),
  ]);
  expect(ran.code, ran.output).toBe(1);
  expectAll(ran.output, [
    'These cannot be installed together',
    'langgraph>=1.0 (requirements.txt:1)',
    'langchain-core<0.3.1 (requirements.txt:2)',
    'Widen `langchain-core<0.3.1` (requirements.txt:2)',
    'dependency_conflict',
    'your requirements are unsatisfiable',
  ]);
  expect(stderr).toContain('"remedy":"Widen `langchain-core<0.3.1`');
});

describe('the approval gate', () => {
  let request: string;
  beforeAll(async () => {
    await writeProject(gantry, 'gated');
    request = await submit('first');
  });

  // With --json the push prints line by line; the request comes last.
  async function submit(message: string): Promise<string> {
    const { stdout } = await gantry.must(`svc submit --message ${message} --json`, { as: 'eda', in: 'gated' });
    return (JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { id: string }).id;
  }

  test('refuses a deployer without an approval, with exit 4 and who can decide', async () => {
    const ran = await gantry.type('svc deploy agents/gated@1.0.0', { as: 'elf' });
    expect(ran.code, ran.output).toBe(4);
    expectAll(ran.output, [
      'agents/gated has no approval for exactly this content and target',
      'approval_required',
      `svc review approve ${request}`,
      'admin@gantry.local',
    ]);
    const json = await gantry.type('svc deploy agents/gated@1.0.0 --json', { as: 'elf' });
    expect(JSON.parse(json.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({ person_must_act: true });
  });

  test('a contributor cannot deploy, and gets the remedy', async () => {
    const ran = await gantry.type('svc deploy agents/gated@1.0.0', { as: 'eda' });
    expect(ran.code, ran.output).toBe(1);
    expectAll(ran.output, [
      `This needs the role deployer in team:${teams.langgraph}; yours is contributor`,
      'A deployer of the team deploys the approved version',
    ]);
  });

  test.each(['eda', 'elf'])('%s, not an admin, can neither approve nor reject', async (as) => {
    for (const decision of ['approve', 'reject']) {
      const ran = await gantry.type(`svc review ${decision} ${request} --reason mine`, { as });
      expect(ran.code, ran.output).toBe(1);
      expect(ran.output).toContain('forbidden');
    }
    expect((await gantry.must(`svc review show ${request}`)).output).toContain('pending');
  });

  test('a byte that changed after the request makes it stale', async () => {
    const changed = await writeProject(gantry, 'gated', { 'agent.py': `${echo}# one more byte` });
    await gantry.must('svc submit --message "second"', { as: 'eda', in: 'gated' });
    const ran = await gantry.type(`svc review approve ${request} --reason fine`);
    expect(ran.code, ran.output).toBe(1);
    expect(ran.output).toMatch(/superseded|already_decided/);
    await writeFile(join(changed, 'agent.py'), echo);
    request = await submit('third');
    await gantry.must(`svc review approve ${request} --reason fine`);
  });

  test('a target that the service does not have is refused with the targets that it has', async () => {
    const plan = await gantry.type('svc deploy agents/gated@1.0.0 --plan', { as: 'elf' });
    expect(plan.code, plan.output).toBe(5);
    const ran = await gantry.type('svc deploy agents/gated@1.0.0 --target aws', { as: 'elf' });
    expect(ran.code, ran.output).toBe(1);
    expectAll(ran.output, ['This service has no target `aws`', 'Its targets: local']);
  });

  test('other content under an approved version is refused, naming --bump', async () => {
    await writeProject(gantry, 'gated', { 'agent.py': `${echo}# another byte` });
    for (const typed of ['svc submit --message "sneaked in"', 'svc deploy']) {
      const ran = await gantry.type(typed, { as: typed.startsWith('svc submit') ? 'eda' : 'admin', in: 'gated' });
      expect(ran.code, ran.output).toBe(1);
      expectAll(ran.output, ['version_final', '--bump patch']);
    }
  });
});

test('a failed login is in the audit log, with user and address and without the password', async () => {
  const ran = await gantry.type('svc login --email elf@example.com --password "a wrong one" --store file', {
    as: 'stranger',
  });
  expect(ran.code, ran.output).toBe(1);
  expectAll(ran.output, ['bad_credentials']);
  const { stdout } = await gantry.must('svc audit --since 1d --action login --json');
  expectAll(stdout, ['elf@example.com', '127.0.0.1', 'refused']);
  expect(stdout).not.toContain('a wrong one');
});

describe('the service refuses to start', () => {
  test('a second time on its data directory', async () => {
    const past_the_client = await gantry.type(`${serve} serve`, { env: { PORT: '0' } });
    expect(past_the_client.code, past_the_client.output).toBe(1);
    expectAll(past_the_client.output, [
      `Another server (process ${await gantry.pid()}) uses the data directory`,
      'svc server stop',
    ]);
    await gantry.must('svc server status');
  });

  test('on a port that is taken', async () => {
    const ran = await gantry.type('svc server start', { env: { DATA_DIR: join(gantry.directory, 'other') } });
    expect(ran.code, ran.output).toBe(3);
    expectAll(ran.output, [
      `Port ${new URL(gantry.url).port} on 127.0.0.1 is taken by another program`,
      'Set PORT to a free one',
    ]);
  });
});

describe('an agent that does not start leaves nothing running and reports the reason', () => {
  test.each([
    [
      'import-error',
      [
        '8 start',
        'agent.py could not be imported: JSONDecodeError',
        'Traceback (most recent call last)',
        'agent.py", line 4, in load',
        'hint: Correct the fault above',
        'start_failed',
      ],
    ],
    ['exits', ['The container exited with 3', 'giving up', 'hint: Read its last log lines', 'start_failed']],
    ['greedy', ['ran out of memory', 'Raise deploy.resources.memory in agent.yaml', 'out_of_memory']],
    [
      'hanging',
      [
        `The agent did not load within ${start_deadline_seconds} s`,
        'waiting for ever',
        'hint: Move slow work from module level',
        'start_failed',
      ],
    ],
    [
      'frozen',
      [
        'did not answer',
        `within ${start_deadline_seconds} s`,
        'hint: Reduce the work at module level',
        'health_check_failed',
      ],
    ],
  ])('%s', async (name, says) => {
    const ran = await starts[name];
    expect(ran?.code, ran?.output).toBe(1);
    expectAll(ran?.output ?? '', says);
    expect((await gantry.must(`svc status ${name}`)).output).toContain('not_deployed');
  });

  test('a second deploy of an agent during its deploy is refused with the id of the first, and waits with --wait', async () => {
    await starts['hanging'];
    await gantry.must('svc deploy agents/hanging@1.0.0 --detach');
    const { items } = await api<{ items: Deployment[] }>('/api/v1/deployments?agent=hanging&limit=1');
    const running = items[0];
    const second = await gantry.type('svc deploy agents/hanging@1.0.0');
    expect(second.code, second.output).toBe(1);
    expectAll(second.output, [
      'A deploy of agents/hanging is already running',
      'deploy_running',
      `svc deployments watch ${running?.id}`,
    ]);
    const waiting = gantry.type('svc deploy agents/hanging@1.0.0 --wait --json');
    await gantry.must(`svc deployments cancel ${running?.id}`);
    const watched = await gantry.type(`svc deployments watch ${running?.id}`);
    expect(watched.output).toContain('was cancelled');
    // Then it runs as a separate deploy, which can be cancelled like the first.
    const separate = await reached(await adminOf(gantry), 'hanging', 'start');
    expect(separate.id).not.toBe(running?.id);
    await gantry.must(`svc deployments cancel ${separate.id}`);
    const waited = await waiting;
    expect(waited.output).toContain('was cancelled');
    expect(waited.output).not.toContain('deploy_running');
  });

  test('the failed agents leave nothing in the engine or in memory', async () => {
    await Promise.all(Object.values(starts));
    const seen = await engineOf(gantry);
    const isTheirs = (container: string) => Object.keys(starts).some((name) => container.startsWith(`svc-${name}-`));
    const theirs = async () => ({
      agents: (await seen.containers('agent')).filter(isTheirs),
      secrets: (await seen.secrets()).filter(isTheirs),
    });
    expect(await theirs()).toEqual({ agents: [], secrets: [] });
    // A sandbox is without the name of its agent. One of another file ends by itself.
    const sandboxes = new Set(await seen.containers('sandbox'));
    const remaining = async () => (await seen.containers('sandbox')).filter((one) => sandboxes.has(one));
    await expect.poll(remaining, { timeout: 120_000, interval: 500 }).toEqual([]);
  });
});

const serve =
  JSON.stringify(join(import.meta.dirname, '../../node_modules/.bin/node')) +
  ' ' +
  JSON.stringify(join(import.meta.dirname, '../../server/start.js'));

function expectAll(output: string, sentences: readonly string[]): void {
  const missing = sentences.filter((sentence) => !output.includes(sentence));
  expect({ missing, output: missing.length === 0 ? '' : output }).toEqual({ missing: [], output: '' });
}

interface Answered {
  status: number;
  problem: Record<string, unknown> & { detail: string };
}

/** The input of a client without checks, complete. */
async function upload(name: string, archive: Uint8Array<ArrayBuffer>): Promise<Answered> {
  const headers = { authorization: `Bearer ${await gantry.token()}`, 'content-type': 'application/gzip' };
  const answered = await fetch(`${gantry.url}/api/v1/agents/${name}/versions`, {
    method: 'POST',
    headers,
    body: archive,
  });
  return { status: answered.status, problem: (await answered.json()) as Answered['problem'] };
}

async function pack(folder: string): Promise<Uint8Array<ArrayBuffer>> {
  const { stdout } = await run('/bin/sh', ['-c', 'tar -cz $(ls -A)'], {
    cwd: join(gantry.directory, folder),
    encoding: 'buffer',
  });
  return Uint8Array.from(stdout);
}

async function random(bytes: number): Promise<Buffer> {
  const { stdout } = await run('head', ['-c', String(bytes), '/dev/urandom'], {
    encoding: 'buffer',
    maxBuffer: bytes + 1,
  });
  return stdout;
}

async function api<T>(path: string): Promise<T> {
  const answered = await fetch(gantry.url + path, { headers: { authorization: `Bearer ${await gantry.token()}` } });
  const { data, meta } = (await answered.json()) as { data: unknown; meta?: unknown };
  return { items: data, meta } as T;
}
